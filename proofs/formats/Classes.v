(** Telling slices apart, by comparing their elements. *)
Require Import ZArith List Bool Lia.
Require Export Atl.formats.Format.
Import ListNotations.
Local Open Scope Z_scope.

(** All index lists of a box. *)
Fixpoint indices (s : shape) : list index :=
  match s with
  | [] => [[]]
  | n :: s => flat_map (fun i => map (cons (Z.of_nat i)) (indices s)) (seq 0 (Z.to_nat n))
  end.

Lemma inbox_indices s : forall l, inbox l s -> In l (indices s).
Proof.
  induction s as [|n s IH]; intros l B; [destruct l; [left; reflexivity|destruct B]|].
  destruct (inbox_cons _ _ _ B) as (i & l' & -> & I & B'). cbn. apply in_flat_map. exists (Z.to_nat i).
  split; [apply in_seq; lia|]. rewrite Z2Nat.id by lia. apply in_map, IH, B'.
Qed.

Section Classes.
Context {V : Type} (A : algebra V) (same : V -> V -> bool).
Hypothesis same_right : forall a b, same a b = true -> a = b.

Definition equal (s : shape) (a b : tensor V) : bool := forallb (fun l => same (a l) (b l)) (indices s).

Lemma equal_right s a b : equal s a b = true -> teq s a b.
Proof using same_right.
  intros H l B. apply same_right. exact (proj1 (forallb_forall _ _) H l (inbox_indices s l B)).
Qed.

(** Zero slices have class 0. Another one has the number of the first that equals it, plus one. *)
Definition by_elements : classifier := fun s n t =>
  map (fun i => if equal s (slice t i) (scalar (zero A)) then 0%nat
                else match find (fun j => equal s (slice t j) (slice t i)) (seq 0 n) with Some j => S j | None => S i end)
    (seq 0 n).

Theorem by_elements_classifies : classifies A by_elements.
Proof using same_right.
  intros s n t. unfold by_elements. set (k := fun i : nat => _). split; [rewrite map_length, seq_length; reflexivity|].
  assert (At : forall i, (i < n)%nat -> nth i (map k (seq 0 n)) 0%nat = k i).
  { intros i I. rewrite (nth_indep _ _ (k 0%nat)) by (rewrite map_length, seq_length; exact I).
    rewrite map_nth, seq_nth by exact I. reflexivity. }
  assert (Zero : forall i, k i = 0%nat -> teq s (slice t i) (scalar (zero A))).
  { intros i. unfold k. destruct (equal s _ _) eqn:E; [intros _; apply equal_right, E|]. destruct (find _ _); discriminate. }
  assert (Some_ : forall i j, k i = S j -> teq s (slice t j) (slice t i)).
  { intros i j. unfold k. destruct (equal s (slice t i) (scalar (zero A))); [discriminate|].
    destruct (find _ _) as [j'|] eqn:F; intros E; injection E as ->; [|intros l _; reflexivity].
    apply find_some in F as [_ F]. apply equal_right, F. }
  intros i I. rewrite At by exact I. split; [apply Zero|]. intros j J. rewrite At by exact J. intros E.
  destruct (k i) as [|c] eqn:Ki; symmetry in E.
  - intros l B. rewrite (Zero i Ki l B), (Zero j E l B). reflexivity.
  - intros l B. rewrite <- (Some_ i c Ki l B), <- (Some_ j c E l B). reflexivity.
Qed.
End Classes.
