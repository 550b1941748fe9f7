(** The diagonals of a matrix as rows, and back: [shear] and [unshear].

    Diagonal [d] of a matrix of [n] by [m] has the elements with [j - i + n - 1 = d], and the number of each in it is [min i j]. Diagonals are
    shorter than the rows that they are put into: [shear] pads these, and [unshear] drops what is beyond their ends. *)
Require Import ZArith List Bool String Lia.
Require Export Atl.Reshape.
Import ListNotations.
Open Scope Z_scope.

(** Which diagonal, and which place in it; where that is in the matrix; how long a diagonal is. *)
Definition slanted (n : Z) (l : index) : index :=
  match l with i :: j :: l => ((j - i) + n) - 1 :: Z.min i j :: l | l => l end.
Definition upright (n : Z) (l : index) : index :=
  match l with d :: q :: l => Z.max 0 ((n - 1) - d) + q :: Z.max 0 ((d - n) + 1) + q :: l | l => l end.
Definition diagonal (n m d : Z) : Z := Z.min (Z.min (d + 1) n) (Z.min m (((n + m) - 1) - d)).

(** What a truncation keeps of diagonals. *)
Definition along (n m : Z) (C : index -> bool) (l : index) : bool :=
  match l with d :: q :: _ => (q <? diagonal n m d) && C (upright n l) | _ => false end.

Section Diagonals.
Context {V : Type} {ints : arrays} (A : algebra V).
Implicit Types (G : list (known V)) (X : scratch) (b : string) (C : index -> bool) (t : tensor V).
Notation fills := (@fills V ints A).
Notation get := (get A).

Lemma fills_shear G X p b n m r q s C place t k e e' :
  pads A k -> (r =? (n + m) - 1) && ((q =? Z.min n m) && ((0 <? n) && (0 <? m))) = true ->
  fills G X p b (n :: m :: s) (fun w => C (slanted n w)) (fun w => place (slanted n w)) t k ->
  fills G X p b (r :: q :: s) C place
    (gen e (fun i => gen e' (fun j => guard A (j <? Z.min (Z.min (i + 1) n) (Z.min m (((n + m) - 1) - i)))
      (get m (get n t (Z.max 0 ((n - 1) - i) + j)) (Z.max 0 ((i - n) + 1) + j))))) k.
Proof.
  rewrite !andb_true_iff, !Z.eqb_eq, !Z.ltb_lt. intros P (-> & -> & N & M).
  apply fills_reshape with (cond := fun l => hd 0 (tl l) <? diagonal n m (hd 0 l)) (rho := upright n); [| | |auto]; unfold diagonal.
  - intros w L. indices. cbn in *. rewrite Z.ltb_lt. repeat split; cbn; auto; try lia. f_equal; [|f_equal]; lia.
  - intros l L E. indices. cbn in *. rewrite Z.ltb_lt in E. unfold live. cbn.
    replace (Z.max 0 (x - n + 1) + x1 - (Z.max 0 (n - 1 - x) + x1) + n - 1) with x by lia.
    replace (Z.min (Z.max 0 (n - 1 - x) + x1) (Z.max 0 (x - n + 1) + x1)) with x1 by lia. repeat split; auto; lia.
  - intros l L. unfold gen, guard, Tensor.get. indices. cbn.
    destruct (Z.ltb_spec x1 (Z.min (Z.min (x + 1) n) (Z.min m (n + m - 1 - x)))); [|reflexivity].
    rewrite !in_range_inside by lia. reflexivity.
Qed.

Lemma fills_unshear G X p b n m r q s C place t k e e' :
  (r =? (n + m) - 1) && ((q =? Z.min n m) && ((0 <? n) && (0 <? m))) = true ->
  fills G X p b (r :: q :: s) (along n m C) (fun w => place (upright n w)) t k ->
  fills G X p b (n :: m :: s) C place
    (gen e (fun i => gen e' (fun j => get q (get r t (((j - i) + n) - 1)) (Z.min i j)))) k.
Proof.
  rewrite !andb_true_iff, !Z.eqb_eq, !Z.ltb_lt. intros (-> & -> & N & M).
  apply fills_reshape with (cond := fun _ => true) (rho := slanted n); [| | |auto].
  - intros w L. indices. unfold along, diagonal in *. conditions. repeat split; cbn; auto; try lia. f_equal; [|f_equal]; lia.
  - intros l L _. indices. cbn in *. unfold live, along, diagonal. cbn.
    replace (Z.max 0 (n - 1 - (x1 - x + n - 1)) + Z.min x x1) with x by lia.
    replace (Z.max 0 (x1 - x + n - 1 - n + 1) + Z.min x x1) with x1 by lia.
    rewrite (proj2 (Z.ltb_lt _ _)) by lia. repeat split; auto; lia.
  - intros l L. unfold gen, Tensor.get. indices. cbn. rewrite ?in_range_inside by lia. reflexivity.
Qed.
End Diagonals.
