(** Programs of loops over flat buffers, and what running them does.

    A buffer is a number of cells. A cell holds a value or nothing, and knows whether it was stored to with [=] in its
    lifetime. Running traps, and gives [None], where a cell is not there, where one is read or added to that holds nothing,
    and at a second [=] to one cell. So a run that gives a memory is one in which nothing of this happened.

    A loop's body is a function of its index. Index terms are integers of Rocq, except where they read arrays of integers: these lie
    apart, and no program writes them. A read beyond an array's end traps too. *)
Require Import ZArith List Bool String.
Require Export Atl.Tensor.
Import ListNotations.
Open Scope Z_scope.

Definition bind {A B} (x : option A) (f : A -> option B) : option B := match x with Some a => f a | None => None end.

(** * Index terms and conditions *)

(** For each array, how many integers it has, and which. *)
Definition arrays := string -> option (Z * (Z -> Z)).
Definition entry_at (ints : arrays) (b : string) (i : Z) : option Z :=
  bind (ints b) (fun a => if in_range i (fst a) then Some (snd a i) else None).

Inductive int := Int (z : Z) | At (b : string) (i : int) | Calc (f : Z -> Z -> Z) (a b : int).
Inductive test := Test (p : bool) | Compare (f : Z -> Z -> bool) (a b : int) | Negate (p : test) | Both (p q : test) | Either (p q : test).
Coercion Int : Z >-> int.
Coercion Test : bool >-> test.

Fixpoint number_of (ints : arrays) (i : int) : option Z :=
  match i with
  | Int z => Some z
  | At b i => bind (number_of ints i) (entry_at ints b)
  | Calc f a b => bind (number_of ints a) (fun x => bind (number_of ints b) (fun y => Some (f x y)))
  end.

(** The second condition of two is asked only where the first one leaves it open. *)
Fixpoint truth_of (ints : arrays) (p : test) : option bool :=
  match p with
  | Test p => Some p
  | Compare f a b => bind (number_of ints a) (fun x => bind (number_of ints b) (fun y => Some (f x y)))
  | Negate p => bind (truth_of ints p) (fun x => Some (negb x))
  | Both p q => bind (truth_of ints p) (fun x => if x then truth_of ints q else Some false)
  | Either p q => bind (truth_of ints p) (fun x => if x then Some true else truth_of ints q)
  end.

Section Loops.
Context {V : Type}.

(** * Memory *)
Record cell := Cell { content : option V; was_set : bool }.
Record buffer := Buffer { size : Z; cells : Z -> cell }.
Definition memory := string -> option buffer.

(** How many cells there are for these extents, of which negative ones mean none. *)
Fixpoint room (s : shape) : Z := match s with [] => 1 | n :: s => Z.max 0 n * room s end.

(** A buffer at the beginning of a lifetime, with one value or none in all cells. *)
Definition fresh (n : Z) (init : option V) : buffer := Buffer n (fun _ => Cell init false).

Definition find (h : memory) (b : string) (i : Z) : option cell :=
  bind (h b) (fun m => if in_range i (size m) then Some (cells m i) else None).
Definition load (h : memory) (b : string) (i : Z) : option V := bind (find h b i) content.

Definition put (h : memory) (b : string) (m : option buffer) : memory := fun y => if String.eqb y b then m else h y.

(** The cell becomes what [f] makes of it, if that is anything. *)
Definition change (h : memory) (b : string) (i : Z) (f : cell -> option cell) : option memory :=
  bind (h b) (fun m =>
  bind (find h b i) (fun old =>
  bind (f old) (fun new => Some (put h b (Some (Buffer (size m) (fun j => if j =? i then new else cells m j))))))).

(** * Programs *)
Inductive value :=
| Const (v : V)
| Load (b : string) (i : int)
| OfInt (f : Z -> V) (i : int)
| Unary (f : V -> V) (a : value)
| Binary (f : V -> V -> V) (a b : value)
| Ternary (f : V -> V -> V -> V) (a b c : value)
| Choose (p : test) (a b : value).

Inductive statement :=
| Skip
| Seq (p q : statement)
| For (lo hi : int) (f : Z -> statement)
| If (p : test) (a b : statement)
| Alloc (b : string) (s : shape) (init : option V) (p : statement)
| Reset (b : string) (init : option V)
| Forget (b : string) (lo hi : int)
| Store (b : string) (i : int) (v : value)
| Replace (b : string) (i : int) (v : value)
| Update (f : V -> V -> V) (b : string) (i : int) (v : value).

(** * What they do *)
Variable ints : arrays.

Fixpoint eval (h : memory) (v : value) : option V :=
  match v with
  | Const v => Some v
  | Load b i => bind (number_of ints i) (load h b)
  | OfInt f i => bind (number_of ints i) (fun z => Some (f z))
  | Unary f a => bind (eval h a) (fun x => Some (f x))
  | Binary f a b => bind (eval h a) (fun x => bind (eval h b) (fun y => Some (f x y)))
  | Ternary f a b c => bind (eval h a) (fun x => bind (eval h b) (fun y => bind (eval h c) (fun z => Some (f x y z))))
  | Choose p a b => bind (truth_of ints p) (fun p => if p then eval h a else eval h b)
  end.

(** [b[i] = v], once in a lifetime; [b[i] := v], whatever the cell holds; and [b[i] f= v], where there is a value. *)
Definition set_cell (v : V) (c : cell) : option cell := if was_set c then None else Some (Cell (Some v) true).
Definition replace_cell (v : V) (c : cell) : option cell := Some (Cell (Some v) true).
Definition update_cell (f : V -> V -> V) (v : V) (c : cell) : option cell :=
  bind (content c) (fun x => Some (Cell (Some (f x v)) (was_set c))).

(** Some cells are as at the beginning of a lifetime, without values. *)
Definition forgotten (lo hi : Z) (m : buffer) : buffer :=
  Buffer (size m) (fun i => if (lo <=? i) && (i <? hi) then Cell None false else cells m i).

Fixpoint iterate (n : nat) (step : nat -> memory -> option memory) (h : memory) : option memory :=
  match n with O => Some h | S n => bind (iterate n step h) (step n) end.

Fixpoint run (p : statement) (h : memory) : option memory :=
  match p with
  | Skip => Some h
  | Seq p q => bind (run p h) (run q)
  | For lo hi f =>
      bind (number_of ints lo) (fun lo => bind (number_of ints hi) (fun hi =>
      iterate (Z.to_nat (hi - lo)) (fun k => run (f (lo + Z.of_nat k))) h))
  | If p a b => bind (truth_of ints p) (fun p => if p then run a h else run b h)
  | Alloc b s init p => bind (run p (put h b (Some (fresh (room s) init)))) (fun h' => Some (put h' b (h b)))
  | Reset b init => bind (h b) (fun m => Some (put h b (Some (fresh (size m) init))))
  | Forget b lo hi =>
      bind (number_of ints lo) (fun lo => bind (number_of ints hi) (fun hi => bind (h b) (fun m =>
      if (0 <=? lo) && (hi <=? size m) then Some (put h b (Some (forgotten lo hi m))) else None)))
  | Store b i v => bind (number_of ints i) (fun i => bind (eval h v) (fun x => change h b i (set_cell x)))
  | Replace b i v => bind (number_of ints i) (fun i => bind (eval h v) (fun x => change h b i (replace_cell x)))
  | Update f b i v => bind (number_of ints i) (fun i => bind (eval h v) (fun x => change h b i (update_cell f x)))
  end.
End Loops.
Arguments cell V : clear implicits.
Arguments buffer V : clear implicits.
Arguments memory V : clear implicits.
Arguments value V : clear implicits.
Arguments statement V : clear implicits.

(** * Row-major cells *)
Fixpoint extent (s : shape) : Z := match s with [] => 1 | n :: s => n * extent s end.
Fixpoint flat (s : shape) (l : index) : Z :=
  match s, l with n :: s, i :: l => i * extent s + flat s l | _, _ => 0 end.
