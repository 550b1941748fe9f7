(** [ell]: the same number of entries for each parent, of which the last may be empty. [singleton]: one entry each. *)
Require Import Arith List Bool Lia Sorted.
Require Export Atl.formats.Search.
Import ListNotations.

Definition is (c : nat) (e : option nat) : bool := match e with Some d => d =? c | None => false end.
Definition crd_of (r : list (option nat)) (q : nat) : range :=
  match nth_error r q with Some (Some c) => just c | _ => (0, 0) end.
Definition taken (r : list (option nat)) (q : nat) : bool :=
  match nth_error r q with Some (Some _) => true | _ => false end.

Lemma is_iff c e : is c e = true <-> e = Some c.
Proof. destruct e as [d|]; cbn; [rewrite Nat.eqb_eq|]; split; congruence. Qed.

Section Ell.
Context (N w : nat).

Definition padded (cs : list nat) : list (option nat) := map Some cs ++ repeat None (w - length cs).

Definition ell_rows : rows := {|
  row := list (option nat);
  count := @length (option nat);
  row_ok r := exists cs, r = padded cs /\ length cs <= w /\ StronglySorted lt cs /\ Forall (fun c => c < N) cs;
  row_space t := length (nonzero t) <= w;
  row_encode t := (padded (nonzero t), padded (nonzero t));
  row_crd := crd_of;
  row_pos r c := find_at (is c) r;
  row_valid := taken
|}.

Lemma padded_at cs q c : nth_error (padded cs) q = Some (Some c) <-> nth_error cs q = Some c.
Proof.
  unfold padded. destruct (Nat.lt_ge_cases q (length cs)) as [B|B].
  - rewrite nth_error_app1, nth_error_map by (rewrite map_length; exact B).
    destruct (nth_error cs q); cbn; split; congruence.
  - rewrite nth_error_app2, map_length, (proj2 (nth_error_None cs q)) by (rewrite ?map_length; exact B).
    split; [|discriminate]. intros H. apply nth_error_In, repeat_spec in H. discriminate.
Qed.

Lemma padded_length cs : length cs <= w -> length (padded cs) = w.
Proof. intros H. unfold padded. rewrite app_length, map_length, repeat_length. lia. Qed.

Lemma found_in_padded cs c q : find_at (is c) (padded cs) = Some q -> nth_error cs q = Some c.
Proof. intros H. destruct (find_at_some _ _ _ H) as (e & I & E & _). apply is_iff in E. subst e. apply padded_at, I. Qed.

Lemma ell_row_laws : row_laws N ell_rows.
Proof.
  constructor; cbn [row count row_ok row_space row_encode row_crd row_pos row_valid ell_rows fst snd].
  - intros t Len F. split; [|reflexivity]. exists (nonzero t). repeat split; [exact F|apply nonzero_sorted|].
    apply Forall_forall. intros c I. apply nonzero_in in I. lia.
  - intros t c q _ _ H. apply found_in_padded in H. exists (Some c). split; [apply padded_at, H|reflexivity].
  - intros t c Len _ C H. destruct (Nat.eq_dec (nth c t 0) 0) as [Z|Z]; [exact Z|exfalso].
    pose proof (find_at_none _ _ H (Some c)) as F. rewrite (proj2 (is_iff _ _) eq_refl) in F. discriminate F.
    apply in_or_app. left. apply in_map, nonzero_in. split; [lia|exact Z].
  - intros t q s _ _ I. unfold taken. rewrite I. destruct s; [discriminate|reflexivity].
  - intros r c q (cs & -> & _) H _. unfold crd_of. rewrite (proj2 (padded_at cs q c)) by exact (found_in_padded _ _ _ H).
    apply within_just. reflexivity.
  - intros r c q (cs & -> & _ & S & _) _ T W. unfold taken, crd_of in *.
    destruct (nth_error (padded cs) q) as [[d|]|] eqn:I; try discriminate. apply within_just in W as ->.
    apply (find_at_only _ _ _ (Some d) I); [apply is_iff; reflexivity|]. intros q' e I' E. apply is_iff in E. subst e.
    apply padded_at in I, I'. exact (NoDup_at _ _ _ _ (sorted_NoDup _ _ Nat.lt_irrefl S) I' I).
  - intros r q _ _ T. unfold taken, crd_of in *. destruct (nth_error r q) as [[d|]|]; try discriminate.
    exists d. apply within_just. reflexivity.
  - intros r c q (cs & -> & _ & _ & B) H. split.
    + exact (proj1 (Forall_forall _ _) B c (nth_error_In _ _ (found_in_padded _ _ _ H))).
    + destruct (find_at_some _ _ _ H) as (e & I & _). exact (nth_error_below _ _ _ I).
Qed.

Definition ell : level := level_of N ell_rows (fixed w).
Theorem ell_lawful : lawful ell.
Proof.
  apply (level_of_lawful N ell_rows (fixed w) _ ell_row_laws (fixed_laws w)). intros r (cs & -> & H & _). exact (padded_length cs H).
Qed.
End Ell.

(** One entry for each parent, so that positions are the parents' own. *)
Definition singleton (N : nat) : level := ell N 1.
Theorem singleton_lawful N : lawful (singleton N).
Proof. apply ell_lawful. Qed.
