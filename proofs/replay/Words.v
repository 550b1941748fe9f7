(** Terms and loops as syntax that can be computed with, and what they mean.

    An export states its theorem about functions of Rocq. That the loops compute the term is shown by a computation on the same two as
    words: [replay] of [Fills.v] walks both, and is proved right. Here are the words, and their meanings, which Rocq finds equal to the
    functions by computing.

    In a word, [Bound k] is the variable of the [k]-th loop around it, and [Free l] an entry of the context that is there before. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.Certificate Atl.Windows.
Import ListNotations.
Open Scope Z_scope.

(** * Index terms and conditions of loops *)

(** [IEntry b l i] reads the array [b], which is at level [l]. *)
Inductive index_word := IPlain (t : term) | IEntry (b : string) (l : nat) (i : index_word) | ICalc (op : operation) (a b : index_word).

Inductive test_word :=
| TPlain (p : predicate) | TCompare (r : comparison) (a b : index_word) | TNot (p : test_word) | TBoth (p q : test_word) | TEither (p q : test_word).

(** Which number they give, and which condition they decide. *)
Fixpoint index_term (w : index_word) : term :=
  match w with IPlain t => t | IEntry _ l i => Read l [index_term i] | ICalc op a b => Op op (index_term a) (index_term b) end.
Fixpoint test_term (w : test_word) : predicate :=
  match w with
  | TPlain p => p
  | TCompare r a b => Cmp r (index_term a) (index_term b)
  | TNot p => Not (test_term p)
  | TBoth p q => And (test_term p) (test_term q)
  | TEither p q => Or (test_term p) (test_term q)
  end.

(** * Values, statements and terms *)

(** A number: zero of an algebra, or one that the program names. Functions are numbered too. *)
Inductive constant := CZero (a : nat) | CNamed (k : nat).

Inductive value_word :=
| VConst (c : constant) | VLoad (b : string) (i : index_word) | VIndex (f : nat) (i : index_word)
| VOne (f : nat) (v : value_word) | VTwo (f : nat) (v w : value_word) | VThree (f : nat) (u v w : value_word)
| VChoose (p : test_word) (v w : value_word).

Inductive loop_word :=
| LSkip
| LSeq (p q : loop_word)
| LFor (lo hi : index_word) (p : loop_word)
| LIf (c : test_word) (p q : loop_word)
| LAlloc (b : string) (s : list term) (init : option constant) (p : loop_word)
| LReset (b : string) (init : option constant)
| LForget (b : string) (lo hi : index_word)
| LStore (b : string) (i : index_word) (v : value_word)
| LReplace (b : string) (i : index_word) (v : value_word)
| LUpdate (a : nat) (b : string) (i : index_word) (v : value_word).

(** Reshape operators, with the extents that their lemmas speak of. *)
Inductive operator :=
| Transposed (n m : term) | Rotated (n m r : term) | Unrotated (r n m : term) | Flattened (n m : term)
| Cropped (n : term) | Cropped_left (n d : term) | Padded (n : term) | Padded_left (n d : term)
| Parted (n d : term) | Hot (c : term) | Sheared (n m : term) | Unsheared (r q n m : term).

(** [EOp a o e t]: in the algebra [a]; [e] are the extents of the result, as the definition writes them. [EIterate n k ss t]: rounds of
    [k + 1] states, each with its start and its step, where the old states are variables and the new ones before it, and with what they
    are for. *)
Inductive tensor_word :=
| ETensor (k : nat) | EConst (c : constant) | EIndex (f : nat) (i : term)
| EView (t : tensor_word) | EOne (f : nat) (t : tensor_word) | ETwo (f : nat) (t u : tensor_word) | EThree (f : nat) (t u x : tensor_word)
| EPlus (a : nat) (t u : tensor_word)
| EGen (n : term) (t : tensor_word) | ESum (a : nat) (n : term) (t : tensor_word)
| EGuard (a : nat) (p : predicate) (t : tensor_word) | ESelect (p : predicate) (t u : tensor_word)
| EGet (a : nat) (n : term) (t : tensor_word) (i : term) | ELet (t u : tensor_word)
| EOp (a : nat) (o : operator) (e : list term) (t : tensor_word)
| EConcat (a : nat) (e n m : term) (t u : tensor_word)
| EIterate (n : term) (k : nat) (ss : state_words) (t : tensor_word)
with state_words := SNone | SState (start step : tensor_word) (ss : state_words).

(** * What they mean *)

(** The program's algebras, numbers and functions. *)
Record signature (V : Type) := Signature {
  algebras : list (algebra V);
  numbers : list V;
  indices : list (Z -> V);
  ones : list (V -> V);
  twos : list (V -> V -> V);
  threes : list (V -> V -> V -> V)
}.
Arguments Signature {V}. Arguments algebras {V}. Arguments numbers {V}. Arguments indices {V}. Arguments ones {V}.
Arguments twos {V}. Arguments threes {V}.

Section Meaning.
Context {V : Type} (Any : algebra V) (S : signature V) (c : context).
Implicit Types (bound : list Z) (ts : list (tensor V)).

Definition alg (a : nat) : algebra V := nth a (algebras S) Any.
Definition constant_of (k : constant) : V := match k with CZero a => zero (alg a) | CNamed k => nth k (numbers S) (zero Any) end.
Definition index_of (f : nat) : Z -> V := nth f (indices S) (fun _ => zero Any).
Definition one_of (f : nat) : V -> V := nth f (ones S) (fun x => x).
Definition two_of (f : nat) : V -> V -> V := nth f (twos S) (fun x _ => x).
Definition three_of (f : nat) : V -> V -> V -> V := nth f (threes S) (fun x _ _ => x).

Fixpoint int_of bound (w : index_word) : int :=
  match w with
  | IPlain t => Int (Index.value c bound t)
  | IEntry b _ i => At b (int_of bound i)
  | ICalc op a b => Calc (apply op) (int_of bound a) (int_of bound b)
  end.

Fixpoint test_of bound (w : test_word) : test :=
  match w with
  | TPlain p => Test (Index.holds c bound p)
  | TCompare r a b => Compare (compare r) (int_of bound a) (int_of bound b)
  | TNot p => Negate (test_of bound p)
  | TBoth p q => Both (test_of bound p) (test_of bound q)
  | TEither p q => Either (test_of bound p) (test_of bound q)
  end.

Fixpoint value_of bound (w : value_word) : Loops.value V :=
  match w with
  | VConst k => Const (constant_of k)
  | VLoad b i => Load b (int_of bound i)
  | VIndex f i => OfInt (index_of f) (int_of bound i)
  | VOne f v => Unary (one_of f) (value_of bound v)
  | VTwo f v w => Binary (two_of f) (value_of bound v) (value_of bound w)
  | VThree f u v w => Ternary (three_of f) (value_of bound u) (value_of bound v) (value_of bound w)
  | VChoose p v w => Choose (test_of bound p) (value_of bound v) (value_of bound w)
  end.

Fixpoint statement_of bound (w : loop_word) : statement V :=
  match w with
  | LSkip => Skip
  | LSeq p q => Seq (statement_of bound p) (statement_of bound q)
  | LFor lo hi p => For (int_of bound lo) (int_of bound hi) (fun i => statement_of (i :: bound) p)
  | LIf q p z => If (test_of bound q) (statement_of bound p) (statement_of bound z)
  | LAlloc b s init p => Alloc b (map (Index.value c bound) s) (option_map constant_of init) (statement_of bound p)
  | LReset b init => Reset b (option_map constant_of init)
  | LForget b lo hi => Forget b (int_of bound lo) (int_of bound hi)
  | LStore b i v => Store b (int_of bound i) (value_of bound v)
  | LReplace b i v => Replace b (int_of bound i) (value_of bound v)
  | LUpdate a b i v => Update (add (alg a)) b (int_of bound i) (value_of bound v)
  end.

(** The operators' bodies are those of the kernel's definitions. *)
Definition operator_of bound (A : algebra V) (o : operator) (e : list term) (t : tensor V) : tensor V :=
  let v := Index.value c bound in
  let at_ k := v (nth k e (Lit 0)) in
  match o with
  | Transposed n m => gen (at_ 0%nat) (fun i => gen (at_ 1%nat) (fun j => get A (v m) (get A (v n) t j) i))
  | Rotated n m r =>
      gen (at_ 0%nat) (fun x => gen (at_ 1%nat) (fun i => gen (at_ 2%nat) (fun j => get A (v r) (get A (v m) (get A (v n) t i) j) x)))
  | Unrotated r n m =>
      gen (at_ 0%nat) (fun i => gen (at_ 1%nat) (fun j => gen (at_ 2%nat) (fun x => get A (v m) (get A (v n) (get A (v r) t x) i) j)))
  | Flattened n m => gen (at_ 0%nat) (fun i => get A (v m) (get A (v n) t (i / v m)) (i mod v m))
  | Cropped n => gen (at_ 0%nat) (fun i => get A (v n) t i)
  | Cropped_left n d => gen (at_ 0%nat) (fun i => get A (v n) t (i + v d))
  | Padded n => gen (at_ 0%nat) (fun i => guard A (i <? v n) (get A (v n) t i))
  | Padded_left n d => gen (at_ 0%nat) (fun i => guard A (v d <=? i) (get A (v n) t (i - v d)))
  | Parted n d =>
      gen (at_ 0%nat) (fun i => gen (at_ 1%nat) (fun j => guard A (i * v d + j <? v n) (get A (v n) t (i * v d + j))))
  | Hot k => gen (at_ 0%nat) (fun i => guard A (i =? v k) t)
  | Sheared n m =>
      gen (at_ 0%nat) (fun i => gen (at_ 1%nat) (fun j => guard A (j <? Z.min (Z.min (i + 1) (v n)) (Z.min (v m) (((v n + v m) - 1) - i)))
        (get A (v m) (get A (v n) t (Z.max 0 ((v n - 1) - i) + j)) (Z.max 0 ((i - v n) + 1) + j))))
  | Unsheared r q n m =>
      gen (at_ 0%nat) (fun i => gen (at_ 1%nat) (fun j => get A (v q) (get A (v r) t (((j - i) + v n) - 1)) (Z.min i j)))
  end.

(** [k + 1] states as one value, and the tensors of one, the newest first. *)
Fixpoint states_type (k : nat) : Type := match k with O => tensor V | Datatypes.S k => (states_type k * tensor V)%type end.
Fixpoint together (k : nat) ts : states_type k :=
  match k with O => hd (scalar (zero Any)) ts | Datatypes.S k => (together k (tl ts), hd (scalar (zero Any)) ts) end.
Fixpoint apart_again (k : nat) : states_type k -> list (tensor V) :=
  match k with O => fun x => [x] | Datatypes.S k => fun x => snd x :: apart_again k (fst x) end.

Fixpoint tensor_of bound ts (w : tensor_word) : tensor V :=
  match w with
  | ETensor k => nth k ts (scalar (zero Any))
  | EConst k => scalar (constant_of k)
  | EIndex f i => scalar (index_of f (Index.value c bound i))
  | EView t => view (tensor_of bound ts t)
  | EOne f t => prim1 (one_of f) (tensor_of bound ts t)
  | ETwo f t u => prim2 (two_of f) (tensor_of bound ts t) (tensor_of bound ts u)
  | EThree f t u x => prim3 (three_of f) (tensor_of bound ts t) (tensor_of bound ts u) (tensor_of bound ts x)
  | EPlus a t u => prim2 (add (alg a)) (tensor_of bound ts t) (tensor_of bound ts u)
  | EGen n t => gen (Index.value c bound n) (fun i => tensor_of (i :: bound) ts t)
  | ESum a n t => sum (alg a) (Index.value c bound n) (fun i => tensor_of (i :: bound) ts t)
  | EGuard a p t => guard (alg a) (Index.holds c bound p) (tensor_of bound ts t)
  | ESelect p t u => select (Index.holds c bound p) (tensor_of bound ts t) (tensor_of bound ts u)
  | EGet a n t i => get (alg a) (Index.value c bound n) (tensor_of bound ts t) (Index.value c bound i)
  | ELet t u => let_in (tensor_of bound ts t) (fun x => tensor_of bound (x :: ts) u)
  | EOp a o e t => operator_of bound (alg a) o e (tensor_of bound ts t)
  | EConcat a e n m t u =>
      gen (Index.value c bound e) (fun i => select (i <? Index.value c bound n)
        (get (alg a) (Index.value c bound n) (tensor_of bound ts t) i) (get (alg a) (Index.value c bound m) (tensor_of bound ts u) (i - Index.value c bound n)))
  | EIterate n k ss t =>
      iterated (Index.value c bound n) (together k (starts_of bound ts ss []))
        (fun i x => together k (steps_of (i :: bound) (apart_again k x ++ ts) ss [])) (fun x => tensor_of bound (apart_again k x ++ ts) t)
  end
(** After these, the newest first. *)
with starts_of bound ts (ss : state_words) (before : list (tensor V)) : list (tensor V) :=
  match ss with SNone => before | SState t _ ss => starts_of bound ts ss (tensor_of bound ts t :: before) end
with steps_of bound ts (ss : state_words) (new : list (tensor V)) : list (tensor V) :=
  match ss with SNone => new | SState _ t ss => steps_of bound ts ss (tensor_of bound (new ++ ts) t :: new) end.
End Meaning.
