(** Loops whose iterations are taken in another order: [for i in lo'..hi' { if p(P(i)) body(P(i)) }] for
    [for j in lo..hi { if p(j) body(j) }]. Three conditions say exactly when both have the same iterations. *)
Require Import Arith List Bool Lia Permutation.
Require Export Atl.Algebra.
Import ListNotations.
Local Open Scope nat_scope.

Section Permute.
Context (lo hi lo' hi' : nat) (P : nat -> nat) (p : nat -> bool).

Definition range : Prop := forall i, lo' <= i < hi' -> p (P i) = true -> lo <= P i < hi.
Definition injectivity : Prop := forall i i', lo' <= i < hi' -> lo' <= i' < hi' -> p (P i) = true -> P i = P i' -> i = i'.
Definition surjectivity : Prop := forall j, lo <= j < hi -> p j = true -> exists i, lo' <= i < hi' /\ P i = j.

Definition iterations : list nat := filter p (seq lo (hi - lo)).
Definition in_order : list nat := filter p (map P (seq lo' (hi' - lo'))).

Lemma in_iterations j : In j iterations <-> lo <= j < hi /\ p j = true.
Proof. unfold iterations. rewrite filter_In, in_seq. split; intros [H E]; split; auto; lia. Qed.
Lemma in_in_order j : In j in_order <-> (exists i, lo' <= i < hi' /\ P i = j) /\ p j = true.
Proof.
  unfold in_order. rewrite filter_In, in_map_iff. split; intros [(i & H & I) E]; (split; [exists i|exact E]).
  - apply in_seq in I. split; [lia|exact H].
  - split; [exact I|]. apply in_seq. lia.
Qed.

Lemma distinct (l : list nat) : NoDup l ->
  (NoDup (filter p (map P l)) <-> forall i i', In i l -> In i' l -> p (P i) = true -> P i = P i' -> i = i').
Proof.
  induction 1 as [|i l N D IH]; [split; [easy|constructor]|]. cbn [map filter]. split.
  - destruct (p (P i)) eqn:E; intros H.
    + inversion H as [|? ? Ni Dl]; subst. pose proof (proj1 IH Dl) as G.
      assert (New : forall i', In i' l -> P i = P i' -> False).
      { intros i' I' Q. apply Ni, filter_In. split; [rewrite Q; apply in_map, I'|exact E]. }
      intros a b [<-|A] [<-|B] Pa Q; auto; [destruct (New b B Q)|destruct (New a A (eq_sym Q))].
    + pose proof (proj1 IH H) as G. intros a b [<-|A] [<-|B] Pa Q; auto; exfalso; congruence.
  - intros H. assert (Dl : NoDup (filter p (map P l))) by (apply IH; intros a b A B; apply H; right; assumption).
    destruct (p (P i)) eqn:E; [|exact Dl]. constructor; [|exact Dl]. intros I. apply filter_In in I as [I _].
    apply in_map_iff in I as (b & Q & B). apply N. rewrite (H i b); auto; [left; reflexivity|right; exact B].
Qed.

Theorem same_iterations : Permutation in_order iterations <-> range /\ injectivity /\ surjectivity.
Proof.
  assert (Di : NoDup iterations) by (apply NoDup_filter, seq_NoDup).
  pose proof (distinct (seq lo' (hi' - lo')) (seq_NoDup _ _)) as D. fold in_order in D. split.
  - intros H. split; [|split].
    + intros i I E. apply in_iterations. apply (Permutation_in _ H). apply in_in_order. eauto.
    + intros i i' I I'. apply (proj1 D (Permutation_NoDup (Permutation_sym H) Di)); apply in_seq; lia.
    + intros j J E. apply (in_in_order j). apply (Permutation_in _ (Permutation_sym H)). apply in_iterations. auto.
  - intros (R & I & S). apply NoDup_Permutation; [apply D|exact Di|].
    + intros i i' A B. apply in_seq in A, B. apply I; lia.
    + intros j. rewrite in_iterations, in_in_order. split.
      * intros [(i & A & <-) E]. auto.
      * intros [J E]. auto.
Qed.

(** A sum over the iterations, whose additions may change places. *)
Theorem same_sum {V} (A : algebra V) (f : nat -> V) : law_add_comm A -> law_add_assoc A -> range -> injectivity -> surjectivity ->
  fold_right (add A) (zero A) (map f in_order) = fold_right (add A) (zero A) (map f iterations).
Proof.
  intros C As R I S. assert (H : Permutation (map f in_order) (map f iterations)) by (apply Permutation_map, same_iterations; auto).
  induction H as [|x l l' _ IH|x y l|l l' l'' _ IH _ IH']; cbn; [reflexivity|rewrite IH; reflexivity| |congruence].
  rewrite <- !As, (C y x). reflexivity.
Qed.

(** Iterations that may change places, whatever they do: none depends on what another does. *)
Theorem same_effect {T} (step : nat -> T -> T) (s : T) : (forall i j s, step i (step j s) = step j (step i s)) ->
  range -> injectivity -> surjectivity -> fold_right step s in_order = fold_right step s iterations.
Proof.
  intros C R I S. assert (H : Permutation in_order iterations) by (apply same_iterations; auto).
  induction H as [|x l l' _ IH|x y l|l l' l'' _ IH _ IH']; cbn; [reflexivity|rewrite IH; reflexivity|apply C|congruence].
Qed.
End Permute.
