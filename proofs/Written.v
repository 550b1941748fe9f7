(** Loops that were written out: their iterations one after the other, some of them together as a loop of their own. *)
Require Import ZArith List Bool String Lia.
Require Export Atl.Cuts.
Import ListNotations.
Open Scope Z_scope.

(** An index of what begins at [o]. *)
Definition from (o : Z) (l : index) : index := match l with i :: l => o + i :: l | l => l end.

Section Written.
Context {V : Type} {ints : arrays} (A : algebra V).
Notation fills := (fills ints A).
Implicit Types (G : list (known V)) (X : scratch) (p q : statement V) (b : string) (C : index -> bool) (place : index -> Z).
Implicit Types (t u : tensor V) (k : kind) (s : shape).

(** Where elements go may be written in another way. *)
Lemma fills_same G X p b s C D place there t u k : (forall l, D l = C l) -> (forall l, there l = place l) ->
  (forall l, live s C l -> t l = u l) -> fills G X p b s D there t k -> fills G X p b s C place u k.
Proof.
  intros EC EP ET F Ap J h W Bf.
  assert (L : forall l, live s D l <-> live s C l) by (intros l; unfold live; rewrite EC; reflexivity).
  destruct (F Ap) with (h := h) as (h' & R & [O S K Fr Re]); auto.
  - intros l l' M M'. rewrite !EP. apply J; apply L; assumption.
  - intros l M. rewrite EP. apply Bf, L, M.
  - exists h'. split; [exact R|]. split; auto.
    + intros i H. apply Fr. intros l M. rewrite EP. apply H, L, M.
    + intros l c M Fd B. rewrite <- EP, <- ET by exact M. apply Re; [apply L, M| |exact B]. rewrite EP. exact Fd.
Qed.

(** A part of a tensor, and what follows it. *)
Lemma fills_next G X p q b s C place g k o w r : 0 <= w <= r ->
  fills G X p b (w :: s) (fun l => C (from o l)) (fun l => place (from o l)) (gen w (fun i => g (o + i))) k ->
  fills G X q b (r - w :: s) (fun l => C (from (o + w) l)) (fun l => place (from (o + w) l)) (gen (r - w) (fun i => g (o + w + i))) k ->
  fills G X (Seq p q) b (r :: s) (fun l => C (from o l)) (fun l => place (from o l)) (gen r (fun i => g (o + i))) k.
Proof.
  intros R F K. apply (fills_parts A G X p q b _ _ (fun l => hd 0 l <? w)).
  - revert F. apply fills_reshape with (cond := fun _ => true) (rho := fun l => l) (theta := fun l => l); [| | |auto].
    + intros [|i l] [B Cl]; [easy|]. destruct B as [I B]. unfold live. cbn [from hd inbox] in *. rewrite Cl, (proj2 (Z.ltb_lt _ _)) by lia.
      repeat split; auto; lia.
    + intros [|i l] [B Cl] _; [easy|]. destruct B as [I B]. apply andb_true_iff in Cl as [Cl H]. apply Z.ltb_lt in H. cbn [hd] in H.
      repeat split; auto; lia.
    + intros [|i l] _; reflexivity.
  - apply fills_reshape with (s1 := r - w :: s) (C1 := fun l => C (from (o + w) l)) (t := gen (r - w) (fun i => g (o + w + i)))
      (cond := fun _ => true) (rho := from (- w)) (theta := from w); [| | |auto|].
    + intros [|i l] [B Cl]; [easy|]. destruct B as [I B]. unfold live. cbn [from hd inbox] in *. rewrite Z.add_assoc, Cl, (proj2 (Z.ltb_ge _ _)) by lia.
      repeat split; auto; try lia. f_equal. lia.
    + intros [|i l] [B Cl] _; [easy|]. destruct B as [I B]. apply andb_true_iff in Cl as [Cl H].
      apply negb_true_iff, Z.ltb_ge in H. unfold live. cbn [from hd inbox] in *. replace (o + w + (- w + i)) with (o + i) by lia.
      replace (w + (- w + i)) with i by lia. repeat split; auto; lia.
    + intros [|i l] [B _]; [easy|]. cbn [from]. unfold gen. cbn [hd tl]. replace (o + w + (- w + i)) with (o + i) by lia. reflexivity.
    + revert K. apply fills_same; auto.
      intros [|i l]; cbn; [reflexivity|]. rewrite Z.add_assoc. reflexivity.
Qed.

(** A split that leaves no rest: there is nothing to pad, so cells may hold nothing before. *)
Lemma fills_split_whole G X p b n d m r s C place t k e e' : (0 <? d) && (r =? d) && ((n <=? m * d) && (m * d <=? n)) = true ->
  fills G X p b (n :: s) (fun w => C (cut d w)) (fun w => place (cut d w)) t k ->
  fills G X p b (m :: r :: s) C place
    (gen e (fun i => gen e' (fun j => guard A (i * d + j <? n) (get A n t (i * d + j))))) k.
Proof.
  rewrite !andb_true_iff, Z.ltb_lt, Z.eqb_eq, !Z.leb_le. intros [[N ->] [Q Q']].
  apply fills_reshape with (cond := fun _ => true) (rho := merge d); [| | |auto].
  - intros [|x l] [B Cl]; [easy|]. destruct B as [I B]. unfold live. cbn [cut merge inbox] in *. destruct (cut_range x m d) as (R1 & R2 & E); [lia|lia|].
    rewrite E. repeat split; auto; lia.
  - intros [|x [|y l]] [B Cl] _; [easy|now destruct B|]. destruct B as (I & J & B). unfold live. cbn [cut merge inbox] in *.
    destruct (merge_cut x y d J) as [E1 E2]. rewrite E1, E2. repeat split; auto; nia.
  - intros [|x [|y l]] [B _]; [easy|now destruct B|]. destruct B as (I & J & B). unfold gen, guard, get. cbn [merge hd tl].
    rewrite (proj2 (Z.ltb_lt _ _)), (proj2 (in_range_iff _ _)) by nia. reflexivity.
Qed.
End Written.
