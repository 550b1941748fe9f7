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

(** [red*]: its unit stands for zero. *)
Definition products : algebra Z := {| zero := 1%Z; one := 1%Z; add := mul residues; mul := mul residues |}.

Definition declared : list (string * sizes) :=
  [("s", []); ("u", [2]); ("v", [3]); ("q", [2; 2]); ("w", [2; 3]); ("c", [3; 2; 3])].

Definition accepted : list (expr Z * sizes * Z) := [
  (Prod (Number 5%Z) (Var "q"), [2; 2], 9390%Z);
  (Red residues 2 (Prod (Number 5%Z) (Var "q")), [2], 486%Z);
  (Proj 1 1 (Var "w"), [3], 983%Z);
  (Red residues 1 (Var "w"), [3], 8917%Z);
  (Mul (Var "s") (Var "s"), [], 4%Z);
  (Apply negated (Var "q"), [2; 2], 1765%Z);
  (Apply negated (Var "u"), [2], 2399%Z);
  (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q")), [2; 2], 2939%Z);
  (Proj 1 1 (Var "v"), [], 29%Z);
  (Apply negated (Proj 1 1 (Var "w")), [3], 5581%Z);
  (Mul (Proj 1 1 (Var "v")) (Proj 1 1 (Var "w")), [3], 8815%Z);
  (Mul (Apply negated (Var "u")) (Red residues 2 (Prod (Number 5%Z) (Var "q"))), [2], 186%Z);
  (Apply negated (Prod (Number 5%Z) (Var "q")), [2; 2], 4704%Z);
  (Mul (Var "q") (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q"))), [2; 2], 6611%Z);
  (Prod (Number 5%Z) (Mul (Var "s") (Var "s")), [], 20%Z);
  (Pointwise plus (Apply negated (Var "q")) (Var "q"), [2; 2], 0%Z);
  (Pointwise plus (Pointwise plus (Apply negated (Var "q")) (Var "q")) (Apply negated (Var "q")), [2; 2], 1765%Z);
  (Mul (Proj 1 1 (Var "v")) (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q"))), [2; 2], 7889%Z);
  (Mul (Var "w") (Var "w"), [2; 3], 7540%Z);
  (Diag 1 2 (Apply negated (Var "q")), [2], 1208%Z);
  (Red products 3 (Var "c"), [3; 2], 7676%Z);
  (Expa 1 1 (Mul (Proj 1 1 (Var "v")) (Proj 1 1 (Var "w"))), [1; 3], 8815%Z);
  (Prod (Var "u") (Diag 1 2 (Apply negated (Var "q"))), [2; 2], 7482%Z);
  (Pointwise minus (Red residues 1 (Var "w")) (Mul (Proj 1 1 (Var "v")) (Proj 1 1 (Var "w"))), [3], 3206%Z);
  (Red residues 1 (Mul (Apply negated (Var "u")) (Red residues 2 (Prod (Number 5%Z) (Var "q")))), [], 36%Z);
  (Prod (Red residues 1 (Var "w")) (Red products 3 (Var "c")), [3; 3; 2], 7097%Z);
  (Apply negated (Red products 3 (Var "c")), [3; 2], 6401%Z);
  (Expa 2 1 (Prod (Number 5%Z) (Var "q")), [2; 1; 2], 9390%Z);
  (Apply negated (Pointwise plus (Apply negated (Var "q")) (Var "q")), [2; 2], 0%Z);
  (Prod (Red products 3 (Var "c")) (Apply negated (Red products 3 (Var "c"))), [3; 2; 3; 2], 2582%Z);
  (Expa 2 2 (Var "w"), [2; 2; 3], 7173%Z);
  (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q"))), [2; 1; 2], 4704%Z);
  (Proj 2 2 (Apply negated (Prod (Number 5%Z) (Var "q"))), [2], 2781%Z);
  (Prod (Apply negated (Prod (Number 5%Z) (Var "q"))) (Mul (Proj 1 1 (Var "v")) (Proj 1 1 (Var "w"))), [2; 2; 3], 232%Z);
  (Prod (Pointwise plus (Apply negated (Var "q")) (Var "q")) (Var "w"), [2; 2; 2; 3], 0%Z);
  (Transp 3 1 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q")))), [2; 1; 2], 6723%Z);
  (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q"))), [2; 2; 1; 2], 4436%Z);
  (Prod (Apply negated (Var "u")) (Expa 1 1 (Mul (Proj 1 1 (Var "v")) (Proj 1 1 (Var "w")))), [2; 1; 3], 748%Z);
  (Proj 1 2 (Apply negated (Proj 1 1 (Var "w"))), [], 85%Z);
  (Expa 2 1 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q")))), [2; 1; 1; 2], 4704%Z);
  (Pointwise plus (Var "q") (Prod (Var "u") (Diag 1 2 (Apply negated (Var "q")))), [2; 2], 8821%Z);
  (Apply negated (Var "w"), [2; 3], 2318%Z);
  (Transp 4 1 (Prod (Red products 3 (Var "c")) (Apply negated (Red products 3 (Var "c")))), [2; 2; 3; 3], 5559%Z);
  (Proj 2 1 (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q")))), [2; 1; 2], 9390%Z);
  (Red residues 1 (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q"))), [2], 2616%Z);
  (Pointwise minus (Var "q") (Apply negated (Var "q")), [2; 2], 591%Z);
  (Pointwise plus (Apply negated (Var "u")) (Red residues 2 (Prod (Number 5%Z) (Var "q"))), [2], 2788%Z);
  (Mul (Var "w") (Mul (Var "w") (Var "w")), [2; 3], 7456%Z);
  (Expa 1 3 (Prod (Number 5%Z) (Var "q")), [3; 2; 2], 8666%Z);
  (Mul (Apply negated (Var "q")) (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q"))), [2; 2], 7483%Z);
  (Expa 1 2 (Pointwise plus (Apply negated (Var "q")) (Var "q")), [2; 2; 2], 0%Z);
  (Red products 1 (Apply negated (Var "q")), [2], 477%Z);
  (Red products 1 (Apply negated (Pointwise plus (Apply negated (Var "q")) (Var "q"))), [2], 0%Z);
  (Expa 2 1 (Prod (Red products 3 (Var "c")) (Apply negated (Red products 3 (Var "c")))), [3; 1; 2; 3; 2], 2582%Z);
  (Transp 1 4 (Prod (Red products 3 (Var "c")) (Apply negated (Red products 3 (Var "c")))), [2; 2; 3; 3], 5559%Z);
  (Proj 2 2 (Expa 2 2 (Var "w")), [2; 3], 1786%Z);
  (Red products 3 (Prod (Pointwise plus (Apply negated (Var "q")) (Var "q")) (Var "w")), [2; 2; 3], 0%Z);
  (Transp 2 4 (Transp 1 4 (Prod (Red products 3 (Var "c")) (Apply negated (Red products 3 (Var "c"))))), [2; 3; 3; 2], 4829%Z);
  (Proj 4 2 (Transp 1 4 (Prod (Red products 3 (Var "c")) (Apply negated (Red products 3 (Var "c"))))), [2; 2; 3], 6791%Z);
  (Transp 3 1 (Prod (Red products 3 (Var "c")) (Apply negated (Red products 3 (Var "c")))), [3; 2; 3; 2], 1642%Z);
  (Proj 1 1 (Expa 2 1 (Prod (Red products 3 (Var "c")) (Apply negated (Red products 3 (Var "c"))))), [1; 2; 3; 2], 9465%Z);
  (Red residues 2 (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q"))), [2], 329%Z);
  (Red products 2 (Apply negated (Prod (Number 5%Z) (Var "q"))), [2], 1183%Z);
  (Red products 1 (Mul (Var "w") (Var "w")), [3], 8250%Z);
  (Pointwise plus (Red products 1 (Mul (Var "w") (Var "w"))) (Apply negated (Proj 1 1 (Var "w"))), [3], 7267%Z);
  (Contr 1 4 (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q")))), [2; 1], 1536%Z);
  (Red products 4 (Expa 2 1 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q"))))), [2; 1; 1], 1183%Z);
  (Red residues 2 (Proj 2 1 (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q"))))), [2; 2], 9390%Z);
  (Red products 1 (Var "w"), [3], 4964%Z);
  (Pointwise plus (Red products 3 (Var "c")) (Red products 3 (Var "c")), [3; 2], 5423%Z);
  (Red residues 1 (Diag 1 2 (Apply negated (Var "q"))), [], 68%Z);
  (Contr 1 4 (Expa 2 1 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q"))))), [1; 1], 49%Z);
  (Red residues 1 (Prod (Red residues 1 (Var "w")) (Red products 3 (Var "c"))), [3; 2], 6790%Z);
  (Transp 1 2 (Mul (Apply negated (Var "q")) (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q")))), [2; 2], 3347%Z);
  (Pointwise plus (Expa 1 3 (Prod (Number 5%Z) (Var "q"))) (Expa 1 3 (Prod (Number 5%Z) (Var "q"))), [3; 2; 2], 7359%Z);
  (Transp 1 3 (Expa 1 3 (Prod (Number 5%Z) (Var "q"))), [2; 2; 3], 8389%Z);
  (Pointwise plus (Mul (Var "w") (Mul (Var "w") (Var "w"))) (Mul (Var "w") (Mul (Var "w") (Var "w"))), [2; 3], 4392%Z);
  (Transp 3 3 (Expa 2 2 (Var "w")), [2; 2; 3], 7173%Z);
  (Pointwise minus (Number 5%Z) (Prod (Number 5%Z) (Mul (Var "s") (Var "s"))), [], 82%Z);
  (Pointwise minus (Var "c") (Var "c"), [3; 2; 3], 0%Z);
  (Contr 1 2 (Transp 1 3 (Expa 1 3 (Prod (Number 5%Z) (Var "q")))), [3], 7772%Z);
  (Contr 1 3 (Prod (Red products 3 (Var "c")) (Apply negated (Red products 3 (Var "c")))), [2; 2], 1635%Z);
  (Contr 1 2 (Transp 3 3 (Expa 2 2 (Var "w"))), [3], 8917%Z);
  (Diag 1 2 (Red residues 2 (Proj 2 1 (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q")))))), [2], 168%Z);
  (Pointwise minus (Pointwise minus (Var "c") (Var "c")) (Pointwise minus (Var "c") (Var "c")), [3; 2; 3], 0%Z);
  (Diag 1 2 (Contr 1 4 (Expa 2 1 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q")))))), [1], 49%Z);
  (Contr 1 3 (Pointwise minus (Var "c") (Var "c")), [2], 0%Z);
  (Contr 1 2 (Expa 2 2 (Var "w")), [3], 8917%Z);
  (Contr 1 3 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q")))), [1], 49%Z);
  (Diag 1 3 (Expa 1 2 (Pointwise plus (Apply negated (Var "q")) (Var "q"))), [2; 2], 0%Z);
  (Pointwise minus (Red products 3 (Var "c")) (Apply negated (Red products 3 (Var "c"))), [3; 2], 5423%Z);
  (Diag 1 2 (Pointwise plus (Var "q") (Prod (Var "u") (Diag 1 2 (Apply negated (Var "q"))))), [2], 760%Z);
  (Diag 1 4 (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q")))), [2; 2; 1], 4740%Z);
  (Pointwise minus (Proj 1 1 (Var "w")) (Red products 1 (Var "w")), [3], 9096%Z);
  (Diag 1 2 (Mul (Var "q") (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q")))), [2], 1450%Z);
  (Diag 1 3 (Prod (Red products 3 (Var "c")) (Apply negated (Red products 3 (Var "c")))), [3; 2; 2], 7240%Z)].

Definition refused : list (expr Z) := [
  Contr 0 2 (Var "c");
  Diag 3 3 (Var "w");
  Pointwise minus (Var "c") (Proj 1 1 (Var "w"));
  Diag 0 3 (Var "c");
  Diag 1 1 (Var "c");
  Proj 0 1 (Prod (Number 5%Z) (Var "q"));
  Contr 2 2 (Red residues 2 (Prod (Number 5%Z) (Var "q")));
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
  Red residues 3 (Mul (Var "w") (Var "w"));
  Transp 3 3 (Mul (Var "q") (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q"))));
  Contr 2 0 (Proj 1 1 (Var "w"));
  Contr 2 1 (Apply negated (Var "u"));
  Red products 0 (Diag 1 2 (Apply negated (Var "q")));
  Transp 0 2 (Apply negated (Proj 1 1 (Var "w")));
  Diag 2 1 (Prod (Number 5%Z) (Var "q"));
  Expa 2 0 (Red residues 1 (Var "w"));
  Diag 2 0 (Proj 1 1 (Var "w"));
  Diag 1 0 (Var "w");
  Red products 3 (Mul (Var "w") (Var "w"));
  Pointwise plus (Var "u") (Var "w");
  Expa 0 0 (Expa 1 1 (Mul (Proj 1 1 (Var "v")) (Proj 1 1 (Var "w"))));
  Proj 2 3 (Var "c");
  Expa 1 0 (Prod (Number 5%Z) (Var "q"));
  Proj 0 0 (Apply negated (Prod (Number 5%Z) (Var "q")));
  Red products 2 (Red residues 2 (Prod (Number 5%Z) (Var "q")));
  Proj 2 3 (Var "q");
  Transp 2 0 (Mul (Proj 1 1 (Var "v")) (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q"))));
  Transp 3 0 (Var "c");
  Proj 0 2 (Var "q");
  Transp 3 1 (Prod (Var "u") (Diag 1 2 (Apply negated (Var "q"))));
  Red residues 3 (Prod (Number 5%Z) (Var "q"));
  Proj 4 2 (Prod (Red residues 1 (Var "w")) (Red products 3 (Var "c")));
  Expa 0 3 (Prod (Red products 3 (Var "c")) (Apply negated (Red products 3 (Var "c"))));
  Expa 2 0 (Var "v");
  Red products 3 (Apply negated (Red products 3 (Var "c")));
  Expa 2 0 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q"))));
  Red products 1 (Proj 1 1 (Var "v"));
  Red residues 0 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q"))));
  Mul (Var "v") (Prod (Red residues 1 (Var "w")) (Red products 3 (Var "c")));
  Mul (Expa 2 2 (Var "w")) (Proj 1 1 (Var "w"));
  Mul (Var "w") (Proj 1 1 (Var "v"));
  Pointwise plus (Expa 2 1 (Prod (Number 5%Z) (Var "q"))) (Diag 1 2 (Apply negated (Var "q")));
  Mul (Var "w") (Expa 2 1 (Prod (Number 5%Z) (Var "q")));
  Red products 3 (Mul (Proj 1 1 (Var "v")) (Pointwise minus (Var "q") (Prod (Number 5%Z) (Var "q"))));
  Mul (Var "u") (Red residues 1 (Var "w"));
  Red residues 2 (Proj 2 2 (Apply negated (Prod (Number 5%Z) (Var "q"))));
  Red products 0 (Transp 3 1 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q")))));
  Red residues 0 (Expa 2 1 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q")))));
  Red products 5 (Expa 2 1 (Apply negated (Expa 2 1 (Prod (Number 5%Z) (Var "q")))));
  Pointwise minus (Expa 2 1 (Prod (Number 5%Z) (Var "q"))) (Red products 3 (Var "c"));
  Red residues 5 (Prod (Red products 3 (Var "c")) (Apply negated (Red products 3 (Var "c"))));
  Red residues 0 (Prod (Number 5%Z) (Var "q"));
  Red residues 0 (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q"))));
  Mul (Apply negated (Var "w")) (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q"))));
  Mul (Var "c") (Red products 1 (Var "w"));
  Pointwise minus (Mul (Var "w") (Mul (Var "w") (Var "w"))) (Mul (Var "s") (Var "s"));
  Pointwise plus (Expa 2 1 (Prod (Number 5%Z) (Var "q"))) (Apply negated (Var "q"));
  Pointwise minus (Prod (Var "u") (Diag 1 2 (Apply negated (Var "q")))) (Var "v");
  Pointwise plus (Var "w") (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q"))));
  Pointwise minus (Apply negated (Var "q")) (Apply negated (Red products 3 (Var "c")));
  Pointwise minus (Mul (Proj 1 1 (Var "v")) (Proj 1 1 (Var "w"))) (Mul (Var "s") (Var "s"));
  Pointwise plus (Red products 3 (Var "c")) (Expa 1 3 (Prod (Number 5%Z) (Var "q")));
  Pointwise minus (Prod (Red residues 1 (Var "w")) (Red products 3 (Var "c"))) (Var "u");
  Pointwise plus (Var "c") (Diag 1 2 (Apply negated (Var "q")));
  Pointwise plus (Transp 1 3 (Expa 1 3 (Prod (Number 5%Z) (Var "q")))) (Mul (Var "s") (Var "s"));
  Pointwise plus (Diag 1 4 (Expa 2 2 (Expa 2 1 (Prod (Number 5%Z) (Var "q"))))) (Expa 2 2 (Var "w"))].

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
