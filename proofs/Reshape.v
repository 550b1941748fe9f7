(** Reshape operators cost nothing: what fills the operand fills the result, with other cells.

    An operator has two views of one index mapping. Where the result's element [l] comes from, is [rho l] if [cond l]; where the
    operand's element [w] goes, is [theta w]. That the two fit is all that there is to prove of an operator. *)
Require Import ZArith List Bool String Lia.
Require Export Atl.Temporaries.
Import ListNotations.
Open Scope Z_scope.

Ltac indices :=
  repeat match goal with
  | H : live _ _ _ |- _ => destruct H
  | H : inbox ?l (_ :: _) |- _ => destruct (inbox_cons _ _ _ H) as (? & ? & -> & ? & ?); clear H
  end; cbn [hd tl] in *; rewrite ?in_range_inside by nia.

Ltac conditions :=
  unfold live in *; cbn in *;
  repeat match goal with
  | H : _ && _ = true |- _ => apply andb_true_iff in H; destruct H
  | H : in_range _ _ = true |- _ => apply in_range_iff in H
  | H : negb _ = true |- _ => apply negb_true_iff in H
  | H : (_ <? _) = true |- _ => apply Z.ltb_lt in H
  | H : (_ <? _) = false |- _ => apply Z.ltb_ge in H
  end.

Section Reshape.
Context {V : Type} {ints : arrays} (A : algebra V).
Notation run := (run ints).
Implicit Types (G : list (known V)) (X : scratch) (b : string) (C : index -> bool) (t u : tensor V).
Implicit Types (place : index -> Z) (k : kind).
Notation fills := (fills ints A).
Notation get := (get A).

(** Elements that come from nowhere are zero, and need not be stored. *)
Definition pads k : Prop := k <> Unset /\ (k = Adding -> law_add_0_r A).

Lemma pads_zeroed : pads Zeroed.
Proof. split; easy. Qed.
Lemma pads_adding : law_add_0_r A -> pads Adding.
Proof. split; easy. Qed.

Lemma fills_reshape G X p b s s1 C C1 place t u k (cond : index -> bool) (rho theta : index -> index) :
  (forall w, live s1 C1 w -> live s C (theta w) /\ cond (theta w) = true /\ rho (theta w) = w) ->
  (forall l, live s C l -> cond l = true -> live s1 C1 (rho l) /\ theta (rho l) = l) ->
  (forall l, live s C l -> u l = if cond l then t (rho l) else zero A) ->
  ((forall l, live s C l -> cond l = true) \/ pads k) ->
  fills G X p b s1 C1 (fun w => place (theta w)) t k -> fills G X p b s C place u k.
Proof.
  intros H1 H2 HV HP F D J h W Bf.
  destruct (F D) with (h := h) as (h' & R & O); auto.
  - intros w w' L L' E. destruct (H1 w L) as (M & _ & <-), (H1 w' L') as (M' & _ & <-). f_equal. exact (J _ _ M M' E).
  - intros w L. apply Bf, H1, L.
  - exists h'. split; [exact R|].
    assert (O' : outcome A h h' b X (fun l => exists w, l = theta w /\ live s1 C1 w) place u k).
    { apply (outcome_image A h h' b X (live s1 C1) place t); [|exact O].
      intros w L. destruct (H1 w L) as (M & Cw & Rw). rewrite HV, Cw, Rw by exact M. reflexivity. }
    destruct HP as [HP|[N L0]].
    + revert O'. apply outcome_iff; [|reflexivity]. intros l. split.
      * intros (w & -> & L). apply H1, L.
      * intros L. destruct (H2 l L (HP l L)) as [M Q]. exists (rho l). auto.
    + apply (outcome_extend A h h' b X (fun l => exists w, l = theta w /\ live s1 C1 w)); auto.
      * intros l (w & -> & L). apply H1, L.
      * intros l L. destruct (cond l) eqn:E.
        -- left. destruct (H2 l L E) as [M Q]. exists (rho l). auto.
        -- right. split; [|split; [exact N|rewrite HV, E by exact L; reflexivity]].
           intros (w & -> & M). destruct (H1 w M) as (_ & E' & _). congruence.
Qed.

(** Two statements for two parts of a tensor. *)
Lemma fills_parts G X p q b s C (c : index -> bool) place t k :
  fills G X p b s (fun l => C l && c l) place t k -> fills G X q b s (fun l => C l && negb (c l)) place t k ->
  fills G X (Seq p q) b s C place t k.
Proof.
  intros F K D J h W Bf.
  assert (L1 : forall l, live s (fun l => C l && c l) l -> live s C l /\ c l = true).
  { intros l [B E]. apply andb_true_iff in E. split; [split|]; tauto. }
  assert (L2 : forall l, live s (fun l => C l && negb (c l)) l -> live s C l /\ c l = false).
  { intros l [B E]. rewrite andb_true_iff, negb_true_iff in E. split; [split|]; tauto. }
  assert (N : forall l l', live s (fun l => C l && c l) l -> live s (fun l => C l && negb (c l)) l' -> place l <> place l').
  { intros l l' M M' E. apply L1 in M as [M E1]. apply L2 in M' as [M' E2]. rewrite (J l l' M M' E) in E1. congruence. }
  destruct (F D) with (h := h) as (h1 & R1 & O1); auto.
  { intros l l' M M'. apply J; [apply L1, M | apply L1, M']. }
  { intros l M. apply Bf, L1, M. }
  destruct (K D) with (h := h1) as (h2 & R2 & O2).
  { intros l l' M M'. apply J; [apply L2, M | apply L2, M']. }
  { eapply world_after; eauto. }
  { intros l M. destruct (Bf l) as (x & Fd & B); [apply L2, M|]. exists x. split; [|exact B].
    rewrite (frame _ _ _ _ _ _ _ _ _ O1); [exact Fd|]. intros l' M' E. exact (N l' l M' M E). }
  exists h2. split; [cbn [run]; rewrite R1; exact R2|].
  apply (outcome_iff A h h2 b X (fun l => live s (fun l => C l && c l) l \/ live s (fun l => C l && negb (c l)) l) _ place t t);
    [|reflexivity|exact (outcome_union A h h1 h2 b X _ _ place t k N O1 O2)].
  intros l. split; [intros [M|M]; [apply L1, M|apply L2, M]|].
  intros [B E]. destruct (c l) eqn:Q; [left|right]; (split; [exact B|rewrite E, Q; reflexivity]).
Qed.

(** * The operators *)
Definition swap (l : index) : index := match l with i :: j :: l => j :: i :: l | l => l end.

Lemma fills_transpose G X p b n m s C place t k e e' :
  fills G X p b (n :: m :: s) (fun w => C (swap w)) (fun w => place (swap w)) t k ->
  fills G X p b (m :: n :: s) C place (gen e (fun i => gen e' (fun j => get m (get n t j) i))) k.
Proof.
  apply fills_reshape with (cond := fun _ => true) (rho := swap); [| | |auto].
  - intros w L. indices. repeat split; auto; cbn; lia.
  - intros l L _. indices. repeat split; auto; cbn; lia.
  - intros l L. unfold gen, Tensor.get. indices. reflexivity.
Qed.

(** The last of three indices in front, and the first one behind the others. *)
Definition front_3 (l : index) : index := match l with i :: j :: x :: l => x :: i :: j :: l | l => l end.
Definition back_3 (l : index) : index := match l with x :: i :: j :: l => i :: j :: x :: l | l => l end.

Lemma fills_rotate_3 G X p b n m r s C place t k e e' e'' :
  fills G X p b (n :: m :: r :: s) (fun w => C (front_3 w)) (fun w => place (front_3 w)) t k ->
  fills G X p b (r :: n :: m :: s) C place
    (gen e (fun x => gen e' (fun i => gen e'' (fun j => get r (get m (get n t i) j) x)))) k.
Proof.
  apply fills_reshape with (cond := fun _ => true) (rho := back_3); [| | |auto].
  - intros w L. indices. repeat split; auto; cbn; lia.
  - intros l L _. indices. repeat split; auto; cbn; lia.
  - intros l L. unfold gen, Tensor.get. indices. reflexivity.
Qed.

Lemma fills_unrotate_3 G X p b r n m s C place t k e e' e'' :
  fills G X p b (r :: n :: m :: s) (fun w => C (back_3 w)) (fun w => place (back_3 w)) t k ->
  fills G X p b (n :: m :: r :: s) C place
    (gen e (fun i => gen e' (fun j => gen e'' (fun x => get m (get n (get r t x) i) j)))) k.
Proof.
  apply fills_reshape with (cond := fun _ => true) (rho := front_3); [| | |auto].
  - intros w L. indices. repeat split; auto; cbn; lia.
  - intros l L _. indices. repeat split; auto; cbn; lia.
  - intros l L. unfold gen, Tensor.get. indices. reflexivity.
Qed.

Definition merge (m : Z) (l : index) : index := match l with i :: j :: l => i * m + j :: l | l => l end.
Definition cut (k : Z) (l : index) : index := match l with i :: l => i / k :: i mod k :: l | l => l end.

Lemma merge_cut i j m : 0 <= j < m -> (i * m + j) / m = i /\ (i * m + j) mod m = j.
Proof.
  intros J. split; [rewrite Z.add_comm, Z.div_add by lia; rewrite Z.div_small by lia; lia|].
  rewrite Z.add_comm, Z.mod_add by lia. apply Z.mod_small, J.
Qed.

Lemma cut_range i n m : 0 < m -> 0 <= i < n * m -> 0 <= i / m < n /\ 0 <= i mod m < m /\ i / m * m + i mod m = i.
Proof.
  intros M I. pose proof (Z.div_mod i m ltac:(lia)). pose proof (Z.mod_pos_bound i m M).
  repeat split; try lia; nia.
Qed.

Lemma fills_flatten G X p b n m r s C place t k e : (r =? n * m) && ((0 <=? n) && (0 <=? m)) = true ->
  fills G X p b (n :: m :: s) (fun w => C (merge m w)) (fun w => place (merge m w)) t k ->
  fills G X p b (r :: s) C place (gen e (fun i => get m (get n t (i / m)) (i mod m))) k.
Proof.
  rewrite !andb_true_iff, Z.eqb_eq, !Z.leb_le. intros (-> & N & M).
  apply fills_reshape with (cond := fun _ => true) (rho := cut m); [| | |auto].
  - intros w L. indices. cbn in *. destruct (merge_cut x x1 m) as [E1 E2]; [lia|]. rewrite E1, E2.
    repeat split; auto; cbn; nia.
  - intros l L _. indices. cbn in *. assert (0 < m) by nia. destruct (cut_range x n m) as (R1 & R2 & E); [lia|lia|].
    unfold live. cbn. rewrite E. repeat split; auto; lia.
  - intros l L. unfold gen, Tensor.get. indices. assert (0 < m) by nia.
    destruct (cut_range x n m) as (R1 & R2 & E); [lia|lia|]. rewrite !in_range_inside by lia. reflexivity.
Qed.

(** A truncation drops elements: those outside of its result are not stored. *)
Definition under (n : Z) (f : Z -> Z) (C : index -> bool) (l : index) : bool :=
  match l with i :: l => in_range (f i) n && C (f i :: l) | [] => false end.
Definition moved (f : Z -> Z) (l : index) : index := match l with i :: l => f i :: l | l => l end.

Lemma fills_trunc_r G X p b n r s C place t k e : (r <=? n) = true ->
  fills G X p b (n :: s) (under r (fun i => i) C) (fun w => place (moved (fun i => i) w)) t k ->
  fills G X p b (r :: s) C place (gen e (fun i => get n t i)) k.
Proof.
  rewrite Z.leb_le. intros N.
  apply fills_reshape with (cond := fun _ => true) (rho := fun l => l); [| | |auto].
  - intros w L. indices. conditions. repeat split; auto; lia.
  - intros l L _. indices. conditions. rewrite (proj2 (in_range_iff _ _)) by lia. repeat split; auto; try lia.
  - intros l L. unfold gen, Tensor.get. indices. reflexivity.
Qed.

Lemma fills_trunc_l G X p b n d r s C place t k e : (r + d <=? n) && (0 <=? d) = true ->
  fills G X p b (n :: s) (under r (fun i => i - d) C) (fun w => place (moved (fun i => i - d) w)) t k ->
  fills G X p b (r :: s) C place (gen e (fun i => get n t (i + d))) k.
Proof.
  rewrite andb_true_iff, !Z.leb_le. intros [N M].
  apply fills_reshape with (cond := fun _ => true) (rho := moved (fun i => i + d)); [| | |auto].
  - intros w L. indices. conditions. rewrite Z.sub_add. repeat split; auto; lia.
  - intros l L _. indices. conditions. rewrite Z.add_simpl_r, (proj2 (in_range_iff _ _)) by lia. repeat split; auto; try lia.
  - intros l L. unfold gen, Tensor.get. indices. reflexivity.
Qed.

Lemma fills_pad_r G X p b n r s C place t k e : pads k -> (n <=? r) = true ->
  fills G X p b (n :: s) C place t k ->
  fills G X p b (r :: s) C place (gen e (fun i => guard A (i <? n) (get n t i))) k.
Proof.
  rewrite Z.leb_le. intros P N.
  apply fills_reshape with (cond := fun l => hd 0 l <? n) (rho := fun l => l) (theta := fun l => l); [| | |auto].
  - intros w L. indices. rewrite Z.ltb_lt. repeat split; cbn; auto; lia.
  - intros l L E. indices. rewrite Z.ltb_lt in E. repeat split; cbn; auto; lia.
  - intros l L. unfold gen, guard, Tensor.get. indices. destruct (Z.ltb_spec x n); [|reflexivity].
    rewrite in_range_inside by lia. reflexivity.
Qed.

Lemma fills_pad_l G X p b n d r s C place t k e : pads k -> (n + d <=? r) && (r <=? n + d) && (0 <=? d) = true ->
  fills G X p b (n :: s) (fun w => C (moved (fun i => i + d) w)) (fun w => place (moved (fun i => i + d) w)) t k ->
  fills G X p b (r :: s) C place (gen e (fun i => guard A (d <=? i) (get n t (i - d)))) k.
Proof.
  rewrite !andb_true_iff, !Z.leb_le. intros P [[N M] Q].
  apply fills_reshape with (cond := fun l => d <=? hd 0 l) (rho := moved (fun i => i - d)); [| | |auto].
  - intros w L. indices. cbn in *. rewrite Z.leb_le, Z.add_simpl_r. repeat split; cbn; auto; lia.
  - intros l L E. indices. rewrite Z.leb_le in E. cbn. unfold live. cbn. rewrite Z.sub_add. repeat split; auto; lia.
  - intros l L. unfold gen, guard, Tensor.get. indices. destruct (Z.leb_spec d x); [|reflexivity].
    rewrite in_range_inside by lia. reflexivity.
Qed.

Lemma fills_split G X p b n d q r s C place t k e e' : pads k -> (0 <? d) && (r =? d) && (n <=? q * d) = true ->
  fills G X p b (n :: s) (fun w => C (cut d w)) (fun w => place (cut d w)) t k ->
  fills G X p b (q :: r :: s) C place
    (gen e (fun i => gen e' (fun j => guard A (i * d + j <? n) (get n t (i * d + j))))) k.
Proof.
  rewrite !andb_true_iff, Z.ltb_lt, Z.eqb_eq, Z.leb_le. intros P [[N ->] Q].
  apply fills_reshape with (cond := fun l => hd 0 (merge d l) <? n) (rho := merge d); [| | |auto].
  - intros w L. indices. cbn in *. destruct (cut_range x q d) as (R1 & R2 & E); [lia|lia|]. rewrite E, Z.ltb_lt.
    repeat split; cbn; auto; lia.
  - intros l L E. indices. cbn in *. rewrite Z.ltb_lt in E. destruct (merge_cut x x1 d) as [E1 E2]; [lia|].
    unfold live. cbn. rewrite E1, E2. repeat split; auto; nia.
  - intros l L. unfold gen, guard, Tensor.get. indices. destruct (Z.ltb_spec (x * d + x1) n) as [E|E]; cbn.
    + rewrite (proj2 (Z.ltb_lt _ _) E). rewrite in_range_inside by nia. reflexivity.
    + rewrite (proj2 (Z.ltb_ge _ _) E). reflexivity.
Qed.

(** One slice, of which the index may be read from an array. *)
Lemma fills_one_hot G X p b c r s C place t k e : pads k -> (0 <=? c) && (c <? r) = true ->
  fills G X p b s (fun w => C (c :: w)) (fun w => place (c :: w)) t k ->
  fills G X p b (r :: s) C place (gen e (fun i => guard A (i =? c) t)) k.
Proof.
  rewrite andb_true_iff, Z.leb_le, Z.ltb_lt. intros P I.
  apply fills_reshape with (cond := fun l => hd 0 l =? c) (rho := @tl Z) (theta := cons c); [| | |auto].
  - intros w [B L]. cbn. rewrite Z.eqb_refl. unfold live. cbn. auto.
  - intros l L E. indices. apply Z.eqb_eq in E. subst. unfold live. auto.
  - intros l L. indices. reflexivity.
Qed.

(** The first operand goes where the index is below its extent, the second elsewhere. *)
Lemma fills_concat G X p q b n m r s C place t u k e : (r =? n + m) && ((0 <=? n) && (0 <=? m)) = true ->
  fills G X p b (n :: s) C place t k ->
  fills G X q b (m :: s) (fun w => C (moved (fun i => i + n) w)) (fun w => place (moved (fun i => i + n) w)) u k ->
  fills G X (Seq p q) b (r :: s) C place (gen e (fun i => select (i <? n) (get n t i) (get m u (i - n)))) k.
Proof.
  rewrite !andb_true_iff, Z.eqb_eq, !Z.leb_le. intros (-> & N & M) F K.
  apply (fills_parts G X p q b _ C (fun l => hd 0 l <? n)).
  - revert F. apply fills_reshape with (cond := fun _ => true) (rho := fun l => l) (theta := fun l => l); [| | |auto].
    + intros w L. indices. conditions. rewrite (proj2 (Z.ltb_lt _ _)), andb_true_r by lia. repeat split; auto; lia.
    + intros l L _. indices. conditions. repeat split; auto; lia.
    + intros l L. unfold gen, select, Tensor.get. indices. conditions.
      rewrite (proj2 (Z.ltb_lt _ _)), ?in_range_inside by lia. reflexivity.
  - revert K. apply fills_reshape with (cond := fun _ => true) (rho := moved (fun i => i - n)); [| | |auto].
    + intros w L. indices. conditions. rewrite (proj2 (Z.ltb_ge _ _)), Z.add_simpl_r, andb_true_r by lia. repeat split; auto; lia.
    + intros l L _. indices. conditions. rewrite Z.sub_add. repeat split; auto; lia.
    + intros l L. unfold gen, select, Tensor.get. indices. conditions.
      rewrite (proj2 (Z.ltb_ge _ _)), ?in_range_inside by lia. reflexivity.
Qed.
End Reshape.
