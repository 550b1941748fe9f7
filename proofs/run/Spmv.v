(** The certified loops of a sparse matrix in rows times a vector, run by Rocq over the integers: 3 rows of 2, 0 and 3 entries. So
    arrays as the theorem asks for them exist. *)
Require Import String ZArith List.
Require Import Atl.Loops Atl.spmv_rows.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

Definition integers : algebra Z := {| zero := 0; one := 1; add := Z.add; mul := Z.mul |}.
Definition listed (l : list Z) (i : Z) : Z := nth (Z.to_nat i) l 0.

Definition given (positions columns : list Z) : arrays := fun b =>
  if String.eqb b "A2_pos" then Some (Z.of_nat (length positions), listed positions)
  else if String.eqb b "A2_crd" then Some (Z.of_nat (length columns), listed columns)
  else None.

Definition values : memory Z := fun b =>
  if String.eqb b "A_vals" then Some (Buffer 5 (fun i => Cell (Some (i + 1)) true))
  else if String.eqb b "x" then Some (Buffer 4 (fun i => Cell (Some (10 * i + 1)) true))
  else if String.eqb b "out" then Some (fresh 3 None)
  else None.

Definition out (positions columns : list Z) : list (option Z) :=
  match run (given positions columns) (kernel Z integers 3) values with
  | Some h => map (load h "out") [0; 1; 2]
  | None => []
  end.

Goal out [0; 2; 2; 5] [1; 3; 0; 1; 2] = [Some (1 * 11 + 2 * 31); Some 0; Some (3 * 1 + 4 * 11 + 5 * 21)].
Proof. vm_compute. reflexivity. Qed.

(** With positions that are too few, or a column that is not there, they trap. *)
Goal out [0; 2; 2] [1; 3; 0; 1; 2] = [].
Proof. vm_compute. reflexivity. Qed.
Goal out [0; 2; 2; 5] [1; 4; 0; 1; 2] = [].
Proof. vm_compute. reflexivity. Qed.
