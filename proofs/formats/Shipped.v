(** The levels that are shipped, and what follows of every format that is made of them. *)
Require Import ZArith List Bool.
Require Export Atl.formats.Classes Atl.formats.Dense Atl.formats.Compressed Atl.formats.Ell Atl.formats.Hash
  Atl.formats.Runs Atl.formats.SparseRuns Atl.formats.Band Atl.formats.Rankmask Atl.formats.Blocklist.
Import ListNotations.
Local Open Scope nat_scope.

Inductive shipped : level -> Prop :=
| band_shipped N : shipped (band N)
| bitmask_shipped N : shipped (bitmask N)
| blocklist_shipped N : shipped (blocklist N)
| sorted_list_shipped N : shipped (sorted_list N)
| sorted_pairs_shipped n m : shipped (sorted_pairs n m)
| dense_shipped N : shipped (dense N)
| ell_shipped N w : shipped (ell N w)
| hash_shipped N w h : shipped (hash N w h)
| rankmask_shipped N : shipped (rankmask N)
| rle_shipped N : shipped (rle N)
| singleton_shipped N : shipped (singleton N)
| sparse_runs_shipped N : shipped (sparse_runs N).

Theorem shipped_lawful f : shipped f -> lawful f.
Proof.
  destruct 1; auto using band_lawful, bitmask_lawful, blocklist_lawful, sorted_list_lawful, sorted_pairs_lawful, dense_lawful,
    ell_lawful, hash_lawful, rankmask_lawful, rle_lawful, singleton_lawful, sparse_runs_lawful.
Qed.

(** Over every algebra with a neutral zero, whose elements can be compared, and for every format of these levels: what was
    stored of a tensor is the tensor, if each level had space for it. *)
Theorem stored_and_read {V} (A : algebra V) (same : V -> V -> bool) (F : list level) (t : tensor V) :
  law_add_0_l A -> law_add_0_r A -> (forall a b, same a b = true -> a = b) ->
  Forall shipped F -> storable A (by_elements A same) F t ->
  teq (extents F) (decompress A F (compress A (by_elements A same) F t) 0) t.
Proof.
  intros L R S H. apply decompress_compress; auto using by_elements_classifies.
  eapply Forall_impl; [|exact H]. exact shipped_lawful.
Qed.

(** Two levels of which every tensor of these extents can be stored: rows of sorted lists. *)
Theorem rows_of_lists {V} (A : algebra V) (same : V -> V -> bool) (n m : nat) (t : tensor V) :
  law_add_0_l A -> law_add_0_r A -> (forall a b, same a b = true -> a = b) ->
  let F := [dense n; sorted_list m] in
  teq (extents F) (decompress A F (compress A (by_elements A same) F t) 0) t.
Proof.
  intros L R S F. apply stored_and_read; auto.
  - repeat constructor.
  - assert (Len : forall s k u, length (by_elements A same s k u) = k) by (intros; apply by_elements_classifies, S).
    split; [split; [apply Len|exact I]|]. apply Forall_forall. intros x _. split; [split; [apply Len|exact I]|].
    apply Forall_forall. intros y _. exact I.
Qed.

(** A matrix, stored and read, by computing: numbers of rows, running totals and coordinates, and values. *)
Definition integers : algebra Z := {| zero := 0; one := 1; add := Z.add; mul := Z.mul |}%Z.
Definition matrix : tensor Z := fun l =>
  match l with [i; j] => nth (Z.to_nat j) (nth (Z.to_nat i) [[0; 7; 0]; [0; 0; 0]; [5; 0; 6]] []) 0 | _ => 0 end%Z.

Example matrix_in_rows : compress integers (by_elements integers Z.eqb) [dense 3; sorted_list 3] matrix =
  (1, (([0; 1; 1; 3], [1; 0; 2]), [7; 5; 6]%Z)).
Proof. reflexivity. Qed.

Example matrix_in_pairs : compress integers (by_elements integers Z.eqb) [sorted_pairs 3 3] (fun l => matrix [hd 0 l / 3; hd 0 l mod 3]%Z) =
  ((([0; 3], [(0, 1); (2, 0); (2, 2)]), [7; 5; 6]%Z)).
Proof. reflexivity. Qed.

Example matrix_in_bits : compress integers (by_elements integers Z.eqb) [dense 3; bitmask 3] matrix =
  (1, ((3, [false; true; false; false; false; false; true; false; true]), [0; 7; 0; 0; 0; 0; 5; 0; 6]%Z)).
Proof. reflexivity. Qed.

Example matrix_in_table : compress integers (by_elements integers Z.eqb) [dense 3; hash 3 2 (fun c => c)] matrix =
  (1, ((3, [None; Some 1; None; None; Some 0; Some 2]), [0; 7; 0; 0; 5; 6]%Z)).
Proof. reflexivity. Qed.

Example matrix_in_places : compress integers (by_elements integers Z.eqb) [dense 3; ell 3 2] matrix =
  (1, ((3, [Some 1; None; None; None; Some 0; Some 2]), [7; 0; 0; 0; 5; 6]%Z)).
Proof. reflexivity. Qed.

Definition spots : tensor Z := fun l =>
  match l with [i; j] => nth (Z.to_nat j) (nth (Z.to_nat i) [[0; 8; 0]; [0; 0; 0]; [9; 0; 0]] []) 0 | _ => 0 end%Z.

Example spots_in_singletons : compress integers (by_elements integers Z.eqb) [dense 3; singleton 3] spots =
  (1, ((3, [Some 1; None; Some 0]), [8; 0; 9]%Z)).
Proof. reflexivity. Qed.

(** Levels of runs, of bands and of blocks: running totals, and what stands beside them. *)
Definition stripes : tensor Z := fun l =>
  match l with [i; j] => nth (Z.to_nat j) (nth (Z.to_nat i) [[0; 4; 4; 0; 5]; [0; 0; 0; 0; 0]; [6; 6; 0; 0; 7]] []) 0 | _ => 0 end%Z.

Example stripes_in_runs : compress integers (by_elements integers Z.eqb) [dense 3; rle 5] stripes =
  (1, (([0; 4; 5; 8], [1; 3; 4; 5; 5; 2; 4; 5]), [0; 4; 0; 5; 0; 6; 0; 7]%Z)).
Proof. reflexivity. Qed.

Example stripes_in_sparse_runs : compress integers (by_elements integers Z.eqb) [dense 3; sparse_runs 5] stripes =
  (1, (([0; 2; 2; 4], [(1, 3); (4, 5); (0, 2); (4, 5)]), [4; 5; 6; 7]%Z)).
Proof. reflexivity. Qed.

Example stripes_in_bands : compress integers (by_elements integers Z.eqb) [dense 3; band 5] stripes =
  (1, (([0; 4; 4; 9], [1; 0; 0]), [4; 4; 0; 5; 6; 6; 0; 0; 7]%Z)).
Proof. reflexivity. Qed.

Example stripes_in_blocks : compress integers (by_elements integers Z.eqb) [dense 3; blocklist 5] stripes =
  (1, (([0; 2; 2; 4], ([0; 2; 3; 5; 6], [1; 4; 0; 4])), [4; 4; 5; 6; 6; 7]%Z)).
Proof. reflexivity. Qed.

Example matrix_in_ranks : compress integers (by_elements integers Z.eqb) [dense 3; rankmask 3] matrix =
  (1, ((3, ([false; true; false; false; false; false; true; false; true], [0; 0; 1; 1; 1; 1; 1; 2; 2; 3])), [7; 5; 6]%Z)).
Proof. reflexivity. Qed.

(** A row of two entries has no place in a singleton. *)
Example matrix_has_no_singletons : ~ storable integers (by_elements integers Z.eqb) [dense 3; singleton 3] matrix.
Proof.
  intros [_ S]. cbn in S. inversion S as [|? ? _ S1]. inversion S1 as [|? ? _ S2]. inversion S2 as [|? ? [[_ K] _] _].
  cbv in K. repeat apply le_S_n in K. inversion K.
Qed.
