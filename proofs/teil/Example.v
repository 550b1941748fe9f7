(** An example: the product of two matrices, run as a TeIL program and as what it is elaborated to. *)
Require Import Arith ZArith String List Bool Lia.
Require Import Atl.teil.Elaboration.
Import ListNotations.

Local Open Scope string_scope.
Local Open Scope nat_scope.

Definition numbers : algebra nat := {| zero := 0; one := 1; add := Nat.add; mul := Nat.mul |}.

Definition product : program nat :=
  {| allocated := [("A", [2; 3]); ("B", [3; 2]); ("C", [2; 2])];
     body := Assign "C" (Contr 2 3 (Prod (Var "A") (Var "B"))) |}.

Lemma product_ok : OK_Prog product.
Proof.
  repeat split.
  - repeat constructor; cbn; intuition discriminate.
  - repeat constructor.
  - apply OK_Stmt with (s := [2; 2]); [reflexivity|]. apply type_of_iff. reflexivity.
Qed.

Definition before : memory nat := fun x k =>
  match context_of (allocated product) x, k with
  | Some s, [i; j] => if insideb k s then Some (if String.eqb x "A" then i + 10 * j else i * j) else None
  | _, _ => None
  end.

Example product_computed :
  option_map (fun h => map (h "C") (all_inside [2; 2])) (run_program numbers product before) =
    Some [Some 146; Some 292; Some 152; Some 304].
Proof. reflexivity. Qed.

Example product_of_tensors :
  map (fun k => elaborate numbers product "C" (stored numbers before) (from_zero k)) (all_inside [2; 2]) = [146; 292; 152; 304].
Proof. reflexivity. Qed.

(** A product of matrices is what one would write: the outer product, of four dimensions, is gone. *)
Example product_elaborated {V} (A : algebra V) (n m k : nat) (env : environment) :
  let G := context_of [("A", [n; k]); ("B", [k; m])] in
  gens [n; m] (term A G env (Contr 2 3 (Prod (Var "A") (Var "B")))) =
    gen (Z.of_nat n) (fun i => gen (Z.of_nat m) (fun j => sum A (Z.of_nat k) (fun l =>
      prim2 (mul A) (get A (Z.of_nat k) (get A (Z.of_nat n) (env "A") i) l)
                    (get A (Z.of_nat m) (get A (Z.of_nat k) (env "B") l) j)))).
Proof. reflexivity. Qed.
