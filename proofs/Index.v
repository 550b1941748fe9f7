(** Index terms and predicates as syntax, with their values: what a certificate speaks of.

    Programs use the integers and Booleans of Rocq; a certificate needs terms that can be computed with. For a concrete
    term, [value] and [holds] compute to the integer or Boolean expression that the program has. *)
Require Import ZArith List Bool.
Import ListNotations.
Open Scope Z_scope.

Inductive operation := Add | Sub | Mul | Div | Mod | Min | Max.
Inductive comparison := Eq | Lt | Le.

(** [Free l] is the entry of the context at level [l]; [Bound k] a variable of a general hypothesis; [Read l] an element
    of the array at level [l]. *)
Inductive term :=
| Lit (z : Z) | Free (l : nat) | Bound (k : nat) | Op (op : operation) (a b : term) | Read (l : nat) (at_ : list term).

Inductive predicate :=
| True_ | False_ | Cmp (c : comparison) (a b : term) | Not (p : predicate) | And (p q : predicate) | Or (p q : predicate).

(** The values of a context's entries, by level. *)
Inductive entry := Number (z : Z) | Array (f : list Z -> Z) | Other.
Definition context := list entry.

Definition number (c : context) (l : nat) : Z := match nth l c Other with Number z => z | _ => 0 end.
Definition array (c : context) (l : nat) : list Z -> Z :=
  match nth l c Other with Array f => f | _ => fun _ => 0 end.

Definition apply (op : operation) : Z -> Z -> Z :=
  match op with
  | Add => Z.add | Sub => Z.sub | Mul => Z.mul | Div => Z.div | Mod => Z.modulo | Min => Z.min | Max => Z.max
  end.

Section Values.
Variables (c : context) (bound : list Z).

Fixpoint value (t : term) : Z :=
  match t with
  | Lit z => z
  | Free l => number c l
  | Bound k => nth k bound 0
  | Op op a b => apply op (value a) (value b)
  | Read l ts => array c l (map value ts)
  end.

Definition compare (r : comparison) : Z -> Z -> bool := match r with Eq => Z.eqb | Lt => Z.ltb | Le => Z.leb end.

Fixpoint holds (p : predicate) : bool :=
  match p with
  | True_ => true
  | False_ => false
  | Cmp r a b => compare r (value a) (value b)
  | Not p => negb (holds p)
  | And p q => holds p && holds q
  | Or p q => holds p || holds q
  end.
End Values.

(** [t] with terms for the variables of a general hypothesis. *)
Fixpoint instantiate (ts : list term) (t : term) : term :=
  match t with
  | Bound k => nth k ts (Lit 0)
  | Op op a b => Op op (instantiate ts a) (instantiate ts b)
  | Read l us => Read l (map (instantiate ts) us)
  | _ => t
  end.

Fixpoint instantiate_predicate (ts : list term) (p : predicate) : predicate :=
  match p with
  | Cmp r a b => Cmp r (instantiate ts a) (instantiate ts b)
  | Not p => Not (instantiate_predicate ts p)
  | And p q => And (instantiate_predicate ts p) (instantiate_predicate ts q)
  | Or p q => Or (instantiate_predicate ts p) (instantiate_predicate ts q)
  | _ => p
  end.

(** Induction that reaches the indices of a read. *)
Section Induction.
Variable P : term -> Prop.
Hypothesis lit : forall z, P (Lit z).
Hypothesis free : forall l, P (Free l).
Hypothesis bound : forall k, P (Bound k).
Hypothesis op : forall o a b, P a -> P b -> P (Op o a b).
Hypothesis read : forall l ts, Forall P ts -> P (Read l ts).
Fixpoint term_induction (t : term) : P t :=
  match t with
  | Lit z => lit z
  | Free l => free l
  | Bound k => bound k
  | Op o a b => op o a b (term_induction a) (term_induction b)
  | Read l ts =>
      read l ts ((fix all us : Forall P us :=
        match us with [] => Forall_nil P | u :: us => Forall_cons u (term_induction u) (all us) end) ts)
  end.
End Induction.

Lemma value_instantiate c ts t : value c [] (instantiate ts t) = value c (map (value c []) ts) t.
Proof.
  induction t as [| |k|o a b IHa IHb|l us IH] using term_induction; cbn; try reflexivity.
  - change 0 with (value c [] (Lit 0)) at 2. symmetry. apply map_nth.
  - rewrite IHa, IHb. reflexivity.
  - f_equal. rewrite map_map. apply map_ext_Forall, IH.
Qed.

Lemma holds_instantiate c ts p : holds c [] (instantiate_predicate ts p) = holds c (map (value c []) ts) p.
Proof.
  induction p; cbn; try reflexivity; rewrite ?value_instantiate; congruence.
Qed.
