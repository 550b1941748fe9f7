(** Marks of loops: iterations in any order, and sums in groups.

    A loop of which each iteration puts its own row of a tensor into its own cells may take its iterations in any order ([parallel], the
    lanes of a vector): [fills_gen_in_order]. A loop that adds up may, if addition commutes ([fills_sum_in_order]), and groups of its
    iterations may be added up for themselves first, as in private copies ([sums_private]). An iteration is taken whole: that two which
    run at once touch no cell in common is in [Apart.v]. *)
Require Import ZArith List Bool String Lia Permutation.
Require Export Atl.Nests.
Import ListNotations.
Open Scope Z_scope.

(** The iterations [is], one after the other. *)
Fixpoint in_order {V} (is : list Z) (body : Z -> statement V) : statement V :=
  match is with [] => Skip | i :: is => Seq (body i) (in_order is body) end.

(** Each iteration of a loop once. *)
Definition all_of (n : Z) (is : list Z) : Prop := NoDup is /\ forall i, In i is <-> 0 <= i < n.

Section Orders.
Context {V : Type} {ints : arrays} (A : algebra V).
Notation run := (run ints).
Notation fills := (fills ints A).
Implicit Types (G : list (known V)) (X : scratch) (b : string) (C : index -> bool) (t : tensor V) (place : index -> Z) (k : kind) (is : list Z).

(** * Rows of a result *)
Theorem fills_gen_in_order G X is n s body b C place g k : all_of n is ->
  (forall i, (0 <=? i) = true -> (i <? n) = true -> fills G X (body i) b s (fun l => C (i :: l)) (fun l => place (i :: l)) (g i) k) ->
  fills G X (in_order is body) b (n :: s) C place (gen n g) k.
Proof.
  intros [D R] F Ap J h W Bf.
  assert (L : forall h, world h G X -> NoDup is -> (forall i, In i is -> 0 <= i < n) ->
    (forall l, live (n :: s) C l -> In (hd 0 l) is -> exists c, find h b (place l) = Some c /\ before A k c) ->
    exists h', run (in_order is body) h = Some h' /\
      outcome A h h' b X (fun l => live (n :: s) C l /\ In (hd 0 l) is) place (gen n g) k).
  { clear h W Bf D R. induction is as [|i is IH]; intros h W D R Bf.
    - exists h. split; [reflexivity|].
      apply (outcome_iff A h h b X (fun _ => False) _ place (gen n g) (gen n g)); [|reflexivity|apply outcome_none]. intros l. cbn. tauto.
    - inversion D as [|? ? N D']; subst. assert (I : 0 <= i < n) by (apply R; left; reflexivity).
      assert (Own : forall l l', live (n :: s) C l -> hd 0 l <> i -> row s C i l' -> place l <> place (i :: l')).
      { intros l l' L H L' E. rewrite (J l _ L (row_live n s C i l' I L') E) in H. apply H. reflexivity. }
      destruct (F i ltac:(apply Z.leb_le; lia) ltac:(apply Z.ltb_lt; lia) Ap (row_injective n s C place J i I) h W) as (h1 & R1 & O1).
      { intros l L. apply Bf; [exact (row_live n s C i l I L)|left; reflexivity]. }
      destruct (IH h1) as (h2 & R2 & O2).
      + eapply world_after; eauto.
      + exact D'.
      + intros j Ij. apply R. right. exact Ij.
      + intros l L Il. destruct (Bf l L) as (c & Fd & B); [right; exact Il|]. exists c. split; [|exact B].
        rewrite (frame _ _ _ _ _ _ _ _ _ O1); [exact Fd|]. intros l' L' E. apply (Own l l' L); [|exact L'|symmetry; exact E].
        intros Q. rewrite Q in Il. exact (N Il).
      + exists h2. split; [cbn [in_order Loops.run]; rewrite R1; exact R2|].
        apply (outcome_iff A h h2 b X (fun l => (exists w, l = i :: w /\ row s C i w) \/ (live (n :: s) C l /\ In (hd 0 l) is)) _ place
          (gen n g) (gen n g)); [|reflexivity|].
        * intros l. split.
          -- intros [(w & -> & L)|[L Il]]; [split; [exact (row_live n s C i w I L)|left; reflexivity]|split; [exact L|right; exact Il]].
          -- intros [L [E|Il]]; [left|right; auto]. destruct (live_row n s C l L) as (j & w & -> & _ & Lw). cbn in E. subst j. exists w. auto.
        * apply (outcome_union A h h1 h2); [| |exact O2].
          -- intros l l' (w & -> & L) [L' I'] E. apply (Own l' w L'); [|exact L|symmetry; exact E]. intros Q. rewrite Q in I'. exact (N I').
          -- apply (outcome_image A h h1 b X (row s C i) place (g i)); [reflexivity|exact O1]. }
  destruct (L h W D (fun i I => proj1 (R i) I)) as (h' & Rn & O).
  { intros l L' _. apply Bf, L'. }
  exists h'. split; [exact Rn|]. revert O. apply outcome_iff; [|reflexivity]. intros l. split; [tauto|]. intros L'. split; [exact L'|].
  destruct (live_row n s C l L') as (i & w & -> & I & _). apply R, I.
Qed.

(** * Sums *)

(** The terms of a sum in this order, from zero and from the left. *)
Definition added (f : Z -> V) is : V := fold_left (fun x i => add A x (f i)) is (zero A).

Hypothesis ADD_0_L : law_add_0_l A.
Hypothesis ADD_0_R : law_add_0_r A.
Hypothesis ADD_ASSOC : law_add_assoc A.
Hypothesis ADD_COMM : law_add_comm A.

Lemma added_from f is x : fold_left (fun x i => add A x (f i)) is x = add A x (added f is).
Proof using ADD_0_L ADD_0_R ADD_ASSOC.
  unfold added. revert x. induction is as [|i is IH]; intros x; cbn [fold_left]; [rewrite ADD_0_R; reflexivity|].
  rewrite (IH (add A x (f i))), (IH (add A (zero A) (f i))), ADD_0_L. apply ADD_ASSOC.
Qed.

Lemma added_cons f i is : added f (i :: is) = add A (f i) (added f is).
Proof using ADD_0_L ADD_0_R ADD_ASSOC. unfold added at 1. cbn [fold_left]. rewrite added_from, ADD_0_L. reflexivity. Qed.

Lemma added_app f is js : added f (is ++ js) = add A (added f is) (added f js).
Proof using ADD_0_L ADD_0_R ADD_ASSOC. unfold added at 1. rewrite fold_left_app. apply added_from. Qed.

Lemma added_permuted f is js : Permutation is js -> added f is = added f js.
Proof using ADD_0_L ADD_0_R ADD_ASSOC ADD_COMM.
  intros H. induction H as [|i is js _ IH|i j is|is js ks _ IH _ IH']; [reflexivity|rewrite !added_cons, IH; reflexivity| |congruence].
  rewrite !added_cons, <- !ADD_ASSOC, (ADD_COMM (f j)). reflexivity.
Qed.

Lemma added_all f n : bigsum A n (fun j => f (Z.of_nat j)) = added f (map Z.of_nat (seq 0 n)).
Proof using ADD_0_L ADD_0_R ADD_ASSOC.
  induction n as [|n IH]; [reflexivity|]. rewrite seq_S, map_app, added_app, <- IH. cbn [bigsum map]. rewrite added_cons. cbn.
  rewrite ADD_0_R. reflexivity.
Qed.

Lemma all_of_permutes n is : all_of n is -> Permutation is (map Z.of_nat (seq 0 (Z.to_nat n))).
Proof using.
  intros [D R]. apply NoDup_Permutation; [exact D| |].
  - apply FinFun.Injective_map_NoDup; [intros x y E; lia|apply seq_NoDup].
  - intros i. rewrite R, in_map_iff. split.
    + intros I. exists (Z.to_nat i). rewrite in_seq. lia.
    + intros (j & <- & I). apply in_seq in I. lia.
Qed.

(** Every iteration adds to the same cells, in any order. *)
Theorem fills_sum_in_order G X is n s (body : Z -> statement V) b C place g : all_of n is ->
  (forall i, (0 <=? i) = true -> (i <? n) = true -> fills G X (body i) b s C place (g i) Adding) ->
  fills G X (in_order is body) b s C place (sum A n g) Adding.
Proof using ADD_0_L ADD_0_R ADD_ASSOC ADD_COMM.
  intros O F Ap J h W Bf.
  assert (L : forall h, world h G X -> (forall i, In i is -> 0 <= i < n) ->
    (forall l, live s C l -> exists c, find h b (place l) = Some c /\ before A Adding c) ->
    exists h', run (in_order is body) h = Some h' /\ outcome A h h' b X (live s C) place (fun l => added (fun i => g i l) is) Adding).
  { clear h W Bf. destruct O as [_ R]. clear R. induction is as [|i is IH]; intros h W R Bf.
    - exists h. split; [reflexivity|]. apply (outcome_extend A h h b X (fun _ => False)); auto; [easy| |apply outcome_none].
      intros l _. right. repeat split; easy.
    - assert (I : 0 <= i < n) by (apply R; left; reflexivity).
      destruct (F i ltac:(apply Z.leb_le; lia) ltac:(apply Z.ltb_lt; lia) Ap J h W Bf) as (h1 & R1 & O1).
      destruct (IH h1) as (h2 & R2 & O2).
      + eapply world_after; eauto.
      + intros j Ij. apply R. right. exact Ij.
      + exact (before_then A h h1 b X (live s C) place _ Adding Bf O1).
      + exists h2. split; [cbn [in_order Loops.run]; rewrite R1; exact R2|].
        apply (outcome_then A h h1 h2 b X (live s C) place _ _ _ Adding Bf) with (2 := O1) (3 := O2).
        intros l [x|] N; [|easy]. cbn [total bind]. rewrite added_cons, ADD_ASSOC. reflexivity. }
  destruct (L h W (fun i I => proj1 (proj2 O i) I) Bf) as (h' & Rn & Oc). exists h'. split; [exact Rn|].
  revert Oc. apply outcome_iff; [reflexivity|]. intros l _. unfold sum. rewrite (added_all (fun i => g i l)).
  apply added_permuted, all_of_permutes, O.
Qed.

(** Groups that are added up for themselves, each from zero, as private copies of what a loop adds to are. *)
Theorem sums_private f n (groups : list (list Z)) : all_of n (List.concat groups) ->
  fold_left (fun x is => add A x (added f is)) groups (zero A) = bigsum A (Z.to_nat n) (fun j => f (Z.of_nat j)).
Proof using ADD_0_L ADD_0_R ADD_ASSOC ADD_COMM.
  intros O. rewrite added_all, <- (added_permuted f _ _ (all_of_permutes n _ O)). clear O.
  assert (H : forall x, fold_left (fun x is => add A x (added f is)) groups x = add A x (added f (List.concat groups))).
  { induction groups as [|is groups IH]; intros x; cbn [fold_left List.concat]; [unfold added; cbn; rewrite ADD_0_R; reflexivity|].
    rewrite IH, added_app, ADD_ASSOC. reflexivity. }
  rewrite H. apply ADD_0_L.
Qed.
End Orders.
