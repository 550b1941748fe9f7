(** Tensors and the constructs of the core language, as functions.

    A tensor of elements [V] is a function from lists of indices. Its shape is no part of it: two tensors are equal *at
    a shape*, [teq s a b], if they agree at every index list in the box [s]. What stands outside of the box means
    nothing. So extents may be 0, no construct is partial, and a binder is a function of Rocq: there is no
    substitution and no capture.

    A read carries the extent of the dimension that it reads, and is the algebra's zero out of range. *)
Require Import ZArith List Bool Lia.
Require Export Atl.Algebra.
Import ListNotations.
Open Scope Z_scope.

Definition index := list Z.
Definition shape := list Z.
Definition tensor (V : Type) := index -> V.

Fixpoint inbox (l : index) (s : shape) : Prop :=
  match l, s with
  | [], [] => True
  | i :: l, n :: s => 0 <= i < n /\ inbox l s
  | _, _ => False
  end.

Definition teq {V} (s : shape) (a b : tensor V) : Prop := forall l, inbox l s -> a l = b l.

Definition in_range (i n : Z) : bool := (0 <=? i) && (i <? n).

(** * Constructs *)
Section Constructs.
Context {V : Type} (A : algebra V).

(** A scalar: literals, and index terms as elements. *)
Definition scalar (v : V) : tensor V := fun _ => v.

(** [gen i < n { f i }]. The extent is what equality at a shape looks at. *)
Definition gen (n : Z) (f : Z -> tensor V) : tensor V := fun l => f (hd 0 l) (tl l).

(** [sum i < n { f i }]: from zero, in order. *)
Definition sum (n : Z) (f : Z -> tensor V) : tensor V :=
  fun l => bigsum A (Z.to_nat n) (fun i => f (Z.of_nat i) l).

(** [[p] * t]: a selection, not a product. *)
Definition guard (p : bool) (t : tensor V) : tensor V := fun l => if p then t l else zero A.
Definition select (p : bool) (a b : tensor V) : tensor V := fun l => if p then a l else b l.

(** [t[i]], where the outermost extent of [t] is [n]. *)
Definition get (n : Z) (t : tensor V) (i : Z) : tensor V :=
  fun l => if in_range i n then t (i :: l) else zero A.

(** The same scalars, taken as elements of another algebra. *)
Definition view (t : tensor V) : tensor V := t.
End Constructs.

Definition let_in {V S} (e : tensor V) (f : tensor V -> S) : S := f e.

(** [iterate t < n from x = e { f t x } in b x]. The states may be of any type: one tensor, or several as a tuple, of which a step
    that reads new states before its own makes one after the other. *)
Fixpoint rounds {S} (n : nat) (x : S) (f : Z -> S -> S) : S :=
  match n with O => x | Datatypes.S n => f (Z.of_nat n) (rounds n x f) end.
Definition iterated {S T} (n : Z) (x : S) (f : Z -> S -> S) (b : S -> T) : T := b (rounds (Z.to_nat n) x f).

(** Pointwise operations of one, two and three operands, whose elements may differ. *)
Definition prim1 {V W} (f : V -> W) (a : tensor V) : tensor W := fun l => f (a l).
Definition prim2 {U V W} (f : U -> V -> W) (a : tensor U) (b : tensor V) : tensor W := fun l => f (a l) (b l).
Definition prim3 {T U V W} (f : T -> U -> V -> W) (a : tensor T) (b : tensor U) (c : tensor V) : tensor W :=
  fun l => f (a l) (b l) (c l).

(** An element of an array as an integer inside an index term; 0 out of range. *)
Fixpoint in_box (l : index) (s : shape) : bool :=
  match l, s with
  | [], [] => true
  | i :: l, n :: s => in_range i n && in_box l s
  | _, _ => false
  end.
Definition read {V} (s : shape) (to_int : V -> Z) (t : tensor V) (l : index) : Z :=
  if in_box l s then to_int (t l) else 0.

(** Where an element is read, it is in the range of its type, which 0 is in. *)
Lemma read_in_type {V} s (to_int : V -> Z) (t : tensor V) a b l :
  (a <=? 0) && (0 <=? b) = true ->
  (forall v, (a <=? to_int v) && (to_int v <=? b) = true) ->
  (a <=? read s to_int t l) && (read s to_int t l <=? b) = true.
Proof. intros Z R. unfold read. destruct (in_box l s); [apply R|exact Z]. Qed.

(** * Ranges *)
Lemma in_range_iff i n : in_range i n = true <-> 0 <= i < n.
Proof. unfold in_range. rewrite andb_true_iff, Z.leb_le, Z.ltb_lt. reflexivity. Qed.

Lemma in_range_inside {T} i n (a b : T) : 0 <= i < n -> (if in_range i n then a else b) = a.
Proof. intros H. apply in_range_iff in H. rewrite H. reflexivity. Qed.

Lemma inbox_cons l n s : inbox l (n :: s) -> exists i l', l = i :: l' /\ 0 <= i < n /\ inbox l' s.
Proof. destruct l as [|i l]; cbn; [easy|]. intros [B C]. exists i, l. auto. Qed.
