(** The language here is that of the Rust code: random expressions have the same types and elements.

    A test of the crate for TeIL, [crates/teil/tests/rocq.rs], writes the lists: expressions with their types and a checksum of their
    elements, and expressions that it refuses. Elements are numbers modulo 97. *)
Require Import Arith ZArith String List Bool.
Require Import Atl.teil.Elaboration.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope nat_scope.

Definition plus (a b : Z) : Z := ((a + b) mod 97)%Z.
Definition minus (a b : Z) : Z := ((a - b) mod 97)%Z.
Definition negated (a : Z) : Z := (- a mod 97)%Z.
Definition residues : algebra Z := {| zero := 0%Z; one := 1%Z; add := plus; mul := fun a b => (a * b mod 97)%Z |}.

Definition declared : list (string * sizes) :=
  [("s", []); ("u", [2]); ("v", [3]); ("q", [2; 2]); ("w", [2; 3]); ("c", [3; 2; 3])].

Definition accepted : list (expr Z * sizes * Z) := [
  (Prod (Number 5%Z) (Var "q"), [2; 2], 9390%Z);
  (Red 2 (Prod (Number 5%Z) (Var "q")), [2], 486%Z);
  (Proj 1 1 (Var "w"), [3], 983%Z);
  (Red 1 (Var "w"), [3], 8917%Z);
  (Mul (Var "s") (Var "s"), [], 4%Z);
  (Apply negated (Var "q"), [2; 2], 1765%Z);
  (Apply negated (Var "u"), [2], 2399%Z);
  (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q")), [2; 2], 2939%Z);
  (Proj 1 1 (Var "v"), [], 29%Z);
  (Apply negated (Proj 1 1 (Var "w")), [3], 5581%Z);
  (Mul (Proj 1 1 (Var "v")) (Proj 1 1 (Var "w")), [3], 8815%Z);
  (Mul (Apply negated (Var "u")) (Red 2 (Prod (Number 5%Z) (Var "q"))), [2], 186%Z);
  (Apply negated (Prod (Number 5%Z) (Var "q")), [2; 2], 4704%Z);
  (Mul (Var "q") (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q"))), [2; 2], 6611%Z);
  (Prod (Number 5%Z) (Mul (Var "s") (Var "s")), [], 20%Z);
  (Pointwise plus (Apply negated (Var "q")) (Var "q"), [2; 2], 0%Z);
  (Pointwise plus (Pointwise plus (Apply negated (Var "q")) (Var "q")) (Apply negated (Var "q")), [2; 2], 1765%Z);
  (Mul (Proj 1 1 (Var "v")) (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q"))), [2; 2], 7889%Z);
  (Mul (Var "w") (Var "w"), [2; 3], 7540%Z);
  (Diag 1 2 (Apply negated (Var "q")), [2], 1208%Z);
  (Red 3 (Var "c"), [3; 2], 6283%Z);
  (Expa 1 1 (Mul (Proj 1 1 (Var "v")) (Proj 1 1 (Var "w"))), [1; 3], 8815%Z);
  (Prod (Var "u") (Diag 1 2 (Apply negated (Var "q"))), [2; 2], 7482%Z);
  (Pointwise minus (Red 1 (Var "w")) (Mul (Proj 1 1 (Var "v")) (Proj 1 1 (Var "w"))), [3], 3206%Z);
  (Red 1 (Mul (Apply negated (Var "u")) (Red 2 (Prod (Number 5%Z) (Var "q")))), [], 36%Z);
  (Prod (Red 1 (Var "w")) (Red 3 (Var "c")), [3; 3; 2], 1762%Z);
  (Apply negated (Red 3 (Var "c")), [3; 2], 7794%Z);
  (Expa 2 1 (Prod (Number 5%Z) (Var "q")), [2; 1; 2], 9390%Z);
  (Apply negated (Pointwise plus (Apply negated (Var "q")) (Var "q")), [2; 2], 0%Z);
  (Prod (Red 3 (Var "c")) (Apply negated (Red 3 (Var "c"))), [3; 2; 3; 2], 2352%Z);
  (Expa 2 2 (Var "w"), [2; 2; 3], 7173%Z);
  (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q"))), [2; 1; 2], 4704%Z);
  (Prod (Mul (Apply negated (Var "u")) (Red 2 (Prod (Number 5%Z) (Var "q")))) (Mul (Var "w") (Var "w")), [2; 2; 3], 5164%Z);
  (Prod (Apply negated (Prod (Number 5%Z) (Var "q"))) (Mul (Proj 1 1 (Var "v")) (Proj 1 1 (Var "w"))), [2; 2; 3], 232%Z);
  (Prod (Pointwise plus (Apply negated (Var "q")) (Var "q")) (Var "w"), [2; 2; 2; 3], 0%Z);
  (Transp 3 1 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q")))), [2; 1; 2], 6723%Z);
  (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q"))), [2; 2; 1; 2], 4436%Z);
  (Red 3 (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q")))), [2; 2; 2], 4436%Z);
  (Apply negated (Prod (Red 3 (Var "c")) (Apply negated (Red 3 (Var "c")))), [3; 2; 3; 2], 1116%Z);
  (Expa 2 1 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q")))), [2; 1; 1; 2], 4704%Z);
  (Pointwise plus (Var "q") (Prod (Var "u") (Diag 1 2 (Apply negated (Var "q")))), [2; 2], 8821%Z);
  (Proj 2 1 (Expa 2 2 (Var "w")), [2; 3], 1786%Z);
  (Mul (Mul (Var "w") (Var "w")) (Var "w"), [2; 3], 7456%Z);
  (Pointwise minus (Proj 2 1 (Expa 2 2 (Var "w"))) (Proj 2 1 (Expa 2 2 (Var "w"))), [2; 3], 0%Z);
  (Pointwise plus (Var "c") (Var "c"), [3; 2; 3], 6659%Z);
  (Mul (Proj 1 1 (Var "w")) (Proj 1 1 (Var "w")), [3], 4647%Z);
  (Expa 1 3 (Red 3 (Var "c")), [3; 3; 2], 86%Z);
  (Proj 1 1 (Mul (Var "w") (Var "w")), [3], 4647%Z);
  (Red 1 (Mul (Mul (Var "w") (Var "w")) (Var "w")), [3], 611%Z);
  (Transp 2 3 (Red 3 (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q"))))), [2; 2; 2], 936%Z);
  (Expa 1 2 (Pointwise plus (Apply negated (Var "q")) (Var "q")), [2; 2; 2], 0%Z);
  (Contr 1 2 (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q"))), [], 78%Z);
  (Red 1 (Proj 2 1 (Expa 2 2 (Var "w"))), [3], 8917%Z);
  (Red 1 (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q"))), [2], 2616%Z);
  (Expa 1 1 (Expa 2 1 (Prod (Number 5%Z) (Var "q"))), [1; 2; 1; 2], 9390%Z);
  (Pointwise plus (Pointwise plus (Var "c") (Var "c")) (Pointwise plus (Var "c") (Var "c")), [3; 2; 3], 3392%Z);
  (Proj 1 2 (Proj 1 1 (Var "w")), [], 12%Z);
  (Contr 1 2 (Expa 2 2 (Var "w")), [3], 8917%Z);
  (Proj 3 1 (Pointwise plus (Var "c") (Var "c")), [3; 2], 2834%Z);
  (Proj 2 1 (Var "c"), [3; 3], 1853%Z);
  (Proj 1 1 (Expa 1 2 (Pointwise plus (Apply negated (Var "q")) (Var "q"))), [2; 2], 0%Z);
  (Pointwise plus (Prod (Red 1 (Var "w")) (Red 3 (Var "c"))) (Expa 1 3 (Red 3 (Var "c"))), [3; 3; 2], 230%Z);
  (Transp 3 1 (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q")))), [1; 2; 2; 2], 8998%Z);
  (Pointwise minus (Proj 1 1 (Expa 1 2 (Pointwise plus (Apply negated (Var "q")) (Var "q")))) (Var "q"), [2; 2], 1765%Z);
  (Pointwise plus (Var "q") (Apply negated (Pointwise plus (Apply negated (Var "q")) (Var "q"))), [2; 2], 2356%Z);
  (Diag 1 2 (Pointwise plus (Var "q") (Prod (Var "u") (Diag 1 2 (Apply negated (Var "q"))))), [2], 760%Z);
  (Transp 3 2 (Expa 2 1 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q"))))), [2; 1; 1; 2], 4704%Z);
  (Pointwise plus (Apply negated (Var "q")) (Apply negated (Var "q")), [2; 2], 3530%Z);
  (Transp 2 2 (Var "w"), [2; 3], 1786%Z);
  (Transp 3 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q"))), [2; 2; 1], 9390%Z);
  (Transp 4 3 (Prod (Red 3 (Var "c")) (Apply negated (Red 3 (Var "c")))), [3; 2; 2; 3], 9007%Z);
  (Transp 3 2 (Transp 3 2 (Expa 2 1 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q")))))), [2; 1; 1; 2], 4704%Z);
  (Pointwise minus (Prod (Red 1 (Var "w")) (Red 3 (Var "c"))) (Expa 1 3 (Red 3 (Var "c"))), [3; 3; 2], 8542%Z);
  (Contr 1 2 (Expa 1 3 (Red 3 (Var "c"))), [2], 2142%Z);
  (Diag 1 3 (Expa 2 1 (Prod (Number 5%Z) (Var "q"))), [2; 1], 168%Z);
  (Pointwise minus (Var "c") (Pointwise plus (Var "c") (Var "c")), [3; 2; 3], 625%Z);
  (Pointwise minus (Prod (Number 5%Z) (Var "q")) (Pointwise plus (Apply negated (Var "q")) (Var "q")), [2; 2], 9390%Z);
  (Pointwise minus (Var "w") (Var "w"), [2; 3], 0%Z);
  (Diag 1 2 (Red 3 (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q"))))), [2; 2], 9390%Z);
  (Diag 1 4 (Expa 2 1 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q"))))), [2; 1; 1], 2936%Z);
  (Contr 1 3 (Pointwise plus (Var "c") (Var "c")), [2], 458%Z);
  (Contr 1 3 (Expa 2 1 (Prod (Number 5%Z) (Var "q"))), [1], 48%Z);
  (Contr 1 4 (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q")))), [2; 1], 1536%Z);
  (Diag 1 4 (Transp 4 3 (Prod (Red 3 (Var "c")) (Apply negated (Red 3 (Var "c"))))), [3; 2; 2], 3536%Z);
  (Contr 1 4 (Transp 4 3 (Prod (Red 3 (Var "c")) (Apply negated (Red 3 (Var "c"))))), [2; 2], 5807%Z);
  (Diag 1 2 (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q")))), [2; 1; 2], 9390%Z);
  (Contr 1 3 (Apply negated (Prod (Red 3 (Var "c")) (Apply negated (Red 3 (Var "c"))))), [2; 2], 8287%Z);
  (Diag 1 2 (Contr 1 4 (Transp 4 3 (Prod (Red 3 (Var "c")) (Apply negated (Red 3 (Var "c")))))), [2], 2776%Z)].

Definition refused : list (expr Z) := [
  Contr 0 2 (Var "c");
  Diag 3 3 (Var "w");
  Pointwise minus (Var "c") (Proj 1 1 (Var "w"));
  Diag 0 3 (Var "c");
  Diag 1 1 (Var "c");
  Proj 0 1 (Prod (Number 5%Z) (Var "q"));
  Contr 2 2 (Red 2 (Prod (Number 5%Z) (Var "q")));
  Expa 2 0 (Apply negated (Var "q"));
  Contr 2 2 (Var "u");
  Diag 3 1 (Var "w");
  Proj 1 0 (Var "v");
  Transp 3 2 (Var "q");
  Contr 3 2 (Var "q");
  Transp 3 0 (Apply negated (Var "q"));
  Expa 0 1 (Var "c");
  Proj 1 3 (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q")));
  Contr 2 2 (Var "q");
  Diag 0 1 (Proj 1 1 (Var "w"));
  Transp 0 0 (Var "s");
  Mul (Mul (Proj 1 1 (Var "v")) (Proj 1 1 (Var "w"))) (Var "w");
  Contr 3 3 (Prod (Number 5%Z) (Var "q"));
  Pointwise minus (Mul (Var "w") (Var "w")) (Var "c");
  Red 3 (Mul (Var "w") (Var "w"));
  Transp 3 3 (Mul (Var "q") (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q"))));
  Contr 2 0 (Proj 1 1 (Var "w"));
  Contr 2 1 (Apply negated (Var "u"));
  Red 0 (Diag 1 2 (Apply negated (Var "q")));
  Transp 0 2 (Apply negated (Proj 1 1 (Var "w")));
  Diag 2 1 (Prod (Number 5%Z) (Var "q"));
  Expa 2 0 (Red 1 (Var "w"));
  Diag 2 0 (Proj 1 1 (Var "w"));
  Diag 1 0 (Var "w");
  Pointwise plus (Var "u") (Var "w");
  Expa 0 0 (Expa 1 1 (Mul (Proj 1 1 (Var "v")) (Proj 1 1 (Var "w"))));
  Proj 2 3 (Var "c");
  Expa 1 0 (Prod (Number 5%Z) (Var "q"));
  Proj 0 0 (Apply negated (Prod (Number 5%Z) (Var "q")));
  Red 2 (Red 2 (Prod (Number 5%Z) (Var "q")));
  Proj 2 3 (Var "q");
  Transp 2 0 (Mul (Proj 1 1 (Var "v")) (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q"))));
  Transp 3 0 (Var "c");
  Proj 0 2 (Var "q");
  Transp 3 1 (Prod (Var "u") (Diag 1 2 (Apply negated (Var "q"))));
  Red 3 (Prod (Number 5%Z) (Var "q"));
  Proj 4 2 (Prod (Red 1 (Var "w")) (Red 3 (Var "c")));
  Expa 0 3 (Prod (Red 3 (Var "c")) (Apply negated (Red 3 (Var "c"))));
  Expa 1 0 (Expa 2 1 (Prod (Number 5%Z) (Var "q")));
  Expa 2 0 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q"))));
  Red 1 (Proj 1 1 (Var "v"));
  Red 0 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q"))));
  Mul (Var "v") (Prod (Red 1 (Var "w")) (Red 3 (Var "c")));
  Mul (Transp 3 1 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q"))))) (Var "q");
  Mul (Apply negated (Red 3 (Var "c"))) (Var "c");
  Mul (Pointwise minus (Proj 2 1 (Expa 2 2 (Var "w"))) (Proj 2 1 (Expa 2 2 (Var "w")))) (Var "u");
  Red 3 (Var "q");
  Mul (Mul (Var "q") (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q")))) (Var "c");
  Red 4 (Prod (Red 1 (Var "w")) (Red 3 (Var "c")));
  Pointwise minus (Prod (Red 1 (Var "w")) (Red 3 (Var "c"))) (Mul (Var "w") (Var "w"));
  Pointwise plus (Mul (Proj 1 1 (Var "v")) (Proj 1 1 (Var "w"))) (Var "c");
  Pointwise minus (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q")))) (Contr 1 2 (Expa 2 2 (Var "w")));
  Mul (Expa 2 2 (Var "w")) (Contr 1 2 (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q"))));
  Mul (Var "u") (Apply negated (Proj 1 1 (Var "w")));
  Pointwise minus (Prod (Number 5%Z) (Var "q")) (Var "c");
  Pointwise minus (Proj 2 1 (Var "c")) (Expa 2 2 (Var "w"));
  Pointwise minus (Transp 3 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q")))) (Mul (Var "w") (Var "w"));
  Pointwise plus (Var "c") (Red 3 (Var "c"));
  Pointwise plus (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q")))) (Red 1 (Var "w"));
  Pointwise minus (Var "w") (Mul (Proj 1 1 (Var "w")) (Proj 1 1 (Var "w")));
  Pointwise plus (Var "w") (Red 3 (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q")))));
  Pointwise plus (Apply negated (Prod (Number 5%Z) (Var "q"))) (Expa 2 2 (Var "w"));
  Pointwise plus (Var "u") (Apply negated (Var "q"));
  Pointwise plus (Diag 1 3 (Expa 2 1 (Prod (Number 5%Z) (Var "q")))) (Var "w")].

(** * What Rocq says *)
Definition G : context := context_of declared.

(** An element of a tensor, by its place among what is declared, from 2. *)
Definition filled (n : nat) (k : indices) : Z := (fold_left (fun v m => v * 7 + Z.of_nat m) k (Z.of_nat n) mod 97)%Z.

Fixpoint place (x : string) (d : list (string * sizes)) : nat :=
  match d with [] => 0 | (y, _) :: d => if String.eqb x y then 2 else S (place x d) end.

Definition before : memory Z := fun x k =>
  match G x with Some s => if insideb k s then Some (filled (place x declared) k) else None | None => None end.

(** None, if one of them is. *)
Definition checksum (f : indices -> option Z) (s : sizes) : option Z :=
  fold_left (fun c k => match c, f k with Some c, Some v => Some ((c * 31 + v) mod 9973)%Z | _, _ => None end) (all_inside s) (Some 0%Z).

Example same_types : map (fun c => type_of G (fst (fst c))) accepted = map (fun c => Some (snd (fst c))) accepted.
Proof. vm_compute. reflexivity. Qed.

Example same_refusals : map (type_of G) refused = map (fun _ => None) refused.
Proof. vm_compute. reflexivity. Qed.

Example same_elements :
  map (fun c => checksum (element residues G before (fst (fst c))) (snd (fst c))) accepted = map (fun c => Some (snd c)) accepted.
Proof. vm_compute. reflexivity. Qed.

(** And so has the tensor that each is elaborated to. *)
Example same_tensors :
  map (fun c => checksum (fun k => Some (value residues G (stored residues before) (fst (fst c)) (from_zero k))) (snd (fst c)))
    accepted = map (fun c => Some (snd c)) accepted.
Proof. vm_compute. reflexivity. Qed.
