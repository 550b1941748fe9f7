(** The certified loops of the tiled product, run by Rocq over the integers: 5 by 3 times 3 by 2, in tiles of 2. So memory as
    the theorem asks for it exists, and what the theorem says of it is not empty. *)
Require Import String ZArith List.
Require Import Atl.Loops Atl.matmul_tiled.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

Definition integers : algebra Z := {| zero := 0; one := 1; add := Z.add; mul := Z.mul |}.

Definition given : memory Z := fun b =>
  if String.eqb b "a" then Some (Buffer 15 (fun i => Cell (Some (i + 1)) true))
  else if String.eqb b "b" then Some (Buffer 6 (fun i => Cell (Some (2 * i - 3)) true))
  else if String.eqb b "out" then Some (fresh 10 None)
  else None.

Definition out (m k n t : Z) : list (option Z) :=
  match run (fun _ => None) (kernel Z integers m k n t) given with
  | Some h => map (load h "out") [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10]
  | None => []
  end.

Definition element (c : Z) : Z :=
  fold_right Z.add 0 (map (fun k => (c / 2 * 3 + k + 1) * (2 * (k * 2 + c mod 2) - 3)) [0; 1; 2]).

Goal out 5 3 2 2 = app (map (fun c => Some (element c)) [0; 1; 2; 3; 4; 5; 6; 7; 8; 9]) [None].
Proof. vm_compute. reflexivity. Qed.

(** With a row more than there is room for, they trap. *)
Goal run (fun _ => None) (kernel Z integers 6 3 2 2) given = None.
Proof. vm_compute. reflexivity. Qed.
