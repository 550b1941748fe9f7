(** The rules need their side conditions: type safety without them is false.

    Each definition below is a rule with one condition left out, or with another result; what it accepts traps, in an example. So the
    theorems of [Safety.v] are not true of just anything. *)
Require Import Arith String List Bool Lia.
Require Import Atl.teil.Safety.
Import ListNotations.
Local Open Scope string_scope.

Definition numbers : algebra nat := {| zero := 0; one := 1; add := Nat.add; mul := Nat.mul |}.

(** One tensor of each type that an example needs, and a memory in which all elements are 7. *)
Definition declared : list (string * sizes) :=
  [("scalar", []); ("two", [2]); ("three", [3]); ("square", [2; 2]); ("wide", [2; 3]); ("tall", [3; 2])].
Definition G : context := context_of declared.
Definition sevens : memory nat := fun x k => match G x with Some s => if insideb k s then Some 7 else None | None => None end.

Lemma sevens_fits : fits G sevens.
Proof.
  intros x k. unfold sevens. destruct (G x) as [s|]; [|split; [easy|intros (? & ? & _); discriminate]].
  destruct (insideb k s) eqn:K.
  - apply insideb_iff in K. split; [eauto|discriminate].
  - split; [easy|]. intros (t & E & I). injection E as <-. apply insideb_iff in I. congruence.
Qed.

Definition rule := expr nat -> sizes -> Prop.
(** What [expression_safe] says of the real rules. *)
Definition safe (r : rule) : Prop :=
  forall e s k, r e s -> inside k s -> exists v, element numbers G sevens e k = Some v.

Lemma rules_are_safe : safe (typed G).
Proof. intros e s k T. exact (expression_safe numbers G sevens e s k T sevens_fits). Qed.

Ltac traps e s k := intros S; destruct (S e s k) as (v & E);
  [econstructor; try (apply type_of_iff; reflexivity); try reflexivity; cbn; lia | apply insideb_iff; reflexivity | discriminate E].

Inductive diag_of_unequal_sizes : rule :=
  D1 e i j s n m t : typed G e s -> i < j -> entry i s = Some n -> entry j s = Some m -> without j s = Some t ->
    diag_of_unequal_sizes (Diag i j e) t.
Lemma diag_needs_equal_sizes : ~ safe diag_of_unequal_sizes.
Proof. traps (Diag 1 2 (Var (V := nat) "tall")) [3] [3]. Qed.

Inductive diag_backwards : rule :=
  D2 e i j s n t : typed G e s -> entry i s = Some n -> entry j s = Some n -> without j s = Some t -> diag_backwards (Diag i j e) t.
Lemma diag_needs_order : ~ safe diag_backwards.
Proof. traps (Diag 2 1 (Var (V := nat) "square")) [2] [1]. Qed.

Inductive contr_of_unequal_sizes : rule :=
  C1 e i j s n m t u : typed G e s -> i < j -> entry i s = Some n -> entry j s = Some m -> without j s = Some t ->
    without i t = Some u -> contr_of_unequal_sizes (Contr i j e) u.
Lemma contr_needs_equal_sizes : ~ safe contr_of_unequal_sizes.
Proof. traps (Contr 1 2 (Var (V := nat) "tall")) (@nil nat) (@nil nat). Qed.

Inductive proj_beyond : rule :=
  P1 i m e s n t : typed G e s -> entry i s = Some n -> 1 <= m -> without i s = Some t -> proj_beyond (Proj i m e) t.
Lemma proj_needs_an_end : ~ safe proj_beyond.
Proof. traps (Proj 1 3 (Var (V := nat) "wide")) [3] [1]. Qed.

Inductive proj_before : rule :=
  P2 i m e s n t : typed G e s -> entry i s = Some n -> m <= n -> without i s = Some t -> proj_before (Proj i m e) t.
Lemma proj_needs_a_begin : ~ safe proj_before.
Proof. traps (Proj 1 0 (Var (V := nat) "wide")) [3] [1]. Qed.

Inductive add_of_any : rule :=
  A1 f a b s t : typed G a s -> typed G b t -> add_of_any (Pointwise f a b) s.
Lemma add_needs_one_type : ~ safe add_of_any.
Proof. traps (Pointwise Nat.add (Var "three") (Var "two")) [3] [3]. Qed.

Inductive scalar_on_the_right : rule :=
  M1 a b s : typed G a s -> typed G b [] -> scalar_on_the_right (Mul a b) s.
Lemma mul_needs_its_scalar_first : ~ safe scalar_on_the_right.
Proof. traps (Mul (V := nat) (Var "three") (Var "scalar")) [3] [1]. Qed.

Inductive red_of_unchanged_type : rule :=
  R1 i e s : typed G e s -> 1 <= i <= length s -> red_of_unchanged_type (Red numbers i e) s.
Lemma red_loses_a_size : ~ safe red_of_unchanged_type.
Proof. traps (Red numbers 1 (Var (V := nat) "wide")) [2; 3] [1; 1]. Qed.

Inductive transp_of_unchanged_type : rule :=
  T1 i j e s : typed G e s -> 1 <= i <= length s -> 1 <= j <= length s -> transp_of_unchanged_type (Transp i j e) s.
Lemma transp_exchanges_sizes : ~ safe transp_of_unchanged_type.
Proof. traps (Transp 1 2 (Var (V := nat) "wide")) [2; 3] [1; 3]. Qed.

(** Of statements: that the right side has the type of what is assigned. *)
Lemma assignment_needs_one_type :
  ~ forall x (e : expr nat) s t, G x = Some s -> typed G e t -> exists h, assign numbers G sevens x e = Some h.
Proof.
  intros S. destruct (S "three" (Var "two") [3] [2]) as (h & E); [reflexivity|apply type_of_iff; reflexivity|discriminate E].
Qed.

(** Not every condition is for safety. A name that is declared twice would have the first of its types, and where a size is 0 there is
    no index to trap at: that names are distinct, and that sizes begin at 1, also in [T_Expa], is for who reads a program. *)
