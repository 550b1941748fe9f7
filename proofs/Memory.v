(** Facts about memory and row-major cells. *)
Require Import ZArith List Bool String Lia.
Require Export Atl.Loops.
Import ListNotations.
Open Scope Z_scope.

(** * Row-major cells: in the buffer, and no two the same *)
Lemma in_box_iff l s : in_box l s = true <-> inbox l s.
Proof.
  revert l. induction s as [|n s IH]; intros [|i l]; cbn; try easy.
  rewrite andb_true_iff, in_range_iff, IH. reflexivity.
Qed.

(** Of tensors that are equal at the shape, the same is read. *)
Lemma read_alike {V} s (to_int : V -> Z) (t u : tensor V) l : teq s t u -> read s to_int t l = read s to_int u l.
Proof. intros H. unfold read. destruct (in_box l s) eqn:E; [|reflexivity]. rewrite (H l); [reflexivity|]. apply in_box_iff, E. Qed.

Lemma room_inhabited l s : inbox l s -> room s = extent s /\ 0 < extent s.
Proof.
  revert l. induction s as [|n s IH]; intros [|i l]; cbn; try easy. intros [I B].
  destruct (IH l B) as [-> P]. rewrite Z.max_r by lia. split; [reflexivity | nia].
Qed.

Lemma flat_extent l s : inbox l s -> 0 <= flat s l < extent s.
Proof.
  revert l. induction s as [|n s IH]; intros [|i l]; cbn; try easy. intros [I B]. specialize (IH l B). nia.
Qed.

Lemma flat_in_room l s : inbox l s -> in_range (flat s l) (room s) = true.
Proof.
  intros B. apply in_range_iff. destruct (room_inhabited l s B) as [-> _]. apply flat_extent, B.
Qed.

Lemma flat_injective s l l' : inbox l s -> inbox l' s -> flat s l = flat s l' -> l = l'.
Proof.
  revert l l'. induction s as [|n s IH]; intros [|i l] [|j l']; cbn; try easy. intros [I B] [J C] E.
  pose proof (flat_extent l s B). pose proof (flat_extent l' s C).
  assert (i = j) by nia. subst j. f_equal. apply IH; auto. lia.
Qed.

Section Memory.
Context {V : Type}.
Implicit Types (h : memory V) (b y : string) (c : cell V) (i : Z).

Lemma put_same h b m : put h b m b = m.
Proof. unfold put. rewrite String.eqb_refl. reflexivity. Qed.

Lemma put_other h b m y : y <> b -> put h b m y = h y.
Proof. intros N. unfold put. apply String.eqb_neq in N. rewrite N. reflexivity. Qed.

Lemma find_eq h h' b i : h b = h' b -> find h b i = find h' b i.
Proof. intros E. unfold find. rewrite E. reflexivity. Qed.

(** A cell that is there changes, and no other. *)
Lemma change_some h b i f c c' : find h b i = Some c -> f c = Some c' ->
  exists h', change h b i f = Some h' /\ (forall y, y <> b -> h' y = h y) /\ option_map size (h' b) = option_map size (h b) /\
    find h' b i = Some c' /\ (forall j, j <> i -> find h' b j = find h b j).
Proof.
  intros F E. unfold change, find in *. destruct (h b) as [m|] eqn:B; [|easy]. cbn in F |- *.
  destruct (in_range i (size m)) eqn:R; [|easy]. injection F as F. cbn. rewrite F, E. cbn.
  eexists. split; [reflexivity|]. split; [intros y N; apply put_other, N|]. rewrite put_same. cbn.
  split; [reflexivity|]. rewrite R, Z.eqb_refl. split; [reflexivity|].
  intros j N. apply Z.eqb_neq in N. rewrite N. reflexivity.
Qed.
End Memory.
