(** Equality at a shape is an equivalence, and every construct respects it.

    What an inference may assume inside of a construct is a premise of the lemma: below a loop that its index is in
    range, below a guard that its condition holds. Extents and indices may change, if they are equal integers. *)
Require Import ZArith List Bool Lia.
Require Export Atl.Tensor.
Import ListNotations.
Open Scope Z_scope.

Section Equivalence.
Context {V : Type}.
Implicit Types a b c : tensor V.

Lemma refl s a : teq s a a.
Proof. intros l _. reflexivity. Qed.

Lemma sym s a b : teq s b a -> teq s a b.
Proof. intros H l B. symmetry. auto. Qed.

Lemma trans s a b c : teq s a b -> teq s b c -> teq s a c.
Proof. intros H K l B. rewrite H by auto. auto. Qed.

(** A shape may be written in another way. *)
Lemma reshape s s' a b : s = s' -> teq s a b -> teq s' a b.
Proof. intros <-. auto. Qed.

Lemma cases (p : bool) s a b : (p = true -> teq s a b) -> (p = false -> teq s a b) -> teq s a b.
Proof. destruct p; auto. Qed.
End Equivalence.

Lemma cons_eq (n m : Z) s t : n = m -> s = t -> n :: s = m :: t.
Proof. intros -> ->. reflexivity. Qed.

Lemma not_true p : negb p = true -> p = false.
Proof. destruct p; easy. Qed.

Lemma negb_of_false p : p = false -> negb p = true.
Proof. intros ->. reflexivity. Qed.

Lemma of_negb_false p : negb p = false -> p = true.
Proof. destruct p; easy. Qed.

Lemma of_eqb a b : (a =? b) = true -> a = b.
Proof. apply Z.eqb_eq. Qed.

Lemma of_iff p q : (p && q) || (negb p && negb q) = true -> p = q.
Proof. destruct p, q; easy. Qed.

(** * Binders *)
Lemma cong_gen {V} n m s (f g : Z -> tensor V) :
  n = m -> (forall i, (0 <=? i) = true -> (i <? n) = true -> teq s (f i) (g i)) -> teq (n :: s) (gen n f) (gen m g).
Proof.
  intros _ H l B. destruct (inbox_cons _ _ _ B) as (i & l' & -> & I & C).
  unfold gen; cbn [hd tl]. apply (H i); [apply Z.leb_le | apply Z.ltb_lt | exact C]; lia.
Qed.

Lemma cong_sum {V} (A : algebra V) n m s (f g : Z -> tensor V) :
  n = m -> (forall i, (0 <=? i) = true -> (i <? n) = true -> teq s (f i) (g i)) -> teq s (sum A n f) (sum A m g).
Proof.
  intros <- H l B. apply bigsum_ext. intros i I.
  apply H; [apply Z.leb_le; lia | apply Z.ltb_lt; lia | exact B].
Qed.

(** Inside of a [let], the variable is any tensor. *)
Lemma cong_let_body {V W} s (e : tensor V) (f g : tensor V -> tensor W) :
  (forall x, teq s (f x) (g x)) -> teq s (let_in e f) (let_in e g).
Proof. intros H. apply H. Qed.

(** What a [let] binds may be replaced if the body respects equality, and so may what a defined operator is applied to. *)
Lemma cong_let {V W} s s' (e e' : tensor V) (f g : tensor V -> tensor W) :
  teq s e e' -> (forall x y, teq s x y -> teq s' (f x) (g y)) -> teq s' (let_in e f) (let_in e' g).
Proof. intros H K. apply K, H. Qed.

Lemma cong_apply {V W} s s' (f g : tensor V -> tensor W) (e e' : tensor V) :
  teq s e e' -> (forall x y, teq s x y -> teq s' (f x) (g y)) -> teq s' (f e) (g e').
Proof. intros H K. apply K, H. Qed.

(** * Rounds
    States are compared by any relation: one tensor at its shape, or each of several at its own. *)
Section Rounds.
Context {S : Type} (R : S -> S -> Prop).
Implicit Types (x y e : S) (f g : Z -> S -> S).

(** Steps make related states of related ones, where the index is in range. *)
Definition steps n f g := forall t x y, (0 <=? t) = true -> (t <? n) = true -> R x y -> R (f t x) (g t y).

Lemma rounds_steps n e e' f g : R e e' -> steps n f g ->
  forall m, (Z.of_nat m <= n) -> R (rounds m e f) (rounds m e' g).
Proof.
  intros E H m. induction m as [|m IH]; intros L; [exact E|].
  apply H; [apply Z.leb_le | apply Z.ltb_lt | apply IH]; lia.
Qed.

(** A step makes its new states one after the other. *)
Lemma cong_new {V} s (e e' : tensor V) (f g : tensor V -> S) :
  teq s e e' -> (forall a b : tensor V, teq s a b -> R (f a) (g b)) -> R (let_in e f) (let_in e' g).
Proof. intros H K. apply K, H. Qed.

(** Below the rounds, the states are any. *)
Lemma cong_iterate_body {V} s n e f (b b' : S -> tensor V) :
  (forall x, teq s (b x) (b' x)) -> teq s (iterated n e f b) (iterated n e f b').
Proof. intros H. apply H. Qed.

(** The start is outside of the bounds: without a round it is the value. *)
Lemma cong_iterate {V} s n m e e' f g (b b' : S -> tensor V) :
  n = m -> R e e' -> steps n f g -> (forall x y, R x y -> teq s (b x) (b' y)) ->
  teq s (iterated n e f b) (iterated m e' g b').
Proof.
  intros <- E H B. apply B. destruct (Z.le_gt_cases 0 n).
  - apply (rounds_steps n); auto. lia.
  - replace (Z.to_nat n) with O by lia. exact E.
Qed.

(** A family that begins and goes on as the states do. *)
Lemma induction {V} s n (F : Z -> S) e f (b : S -> tensor V) :
  (forall x y z, R x y -> R y z -> R x z) -> steps n f f -> (0 <=? n) = true ->
  R (F 0) e -> (forall t, (0 <=? t) = true -> (t <? n) = true -> R (F (t + 1)) (f t (F t))) ->
  (forall x y, R x y -> teq s (b x) (b y)) -> teq s (b (F n)) (iterated n e f b).
Proof.
  intros T H P E G B. apply B. apply Z.leb_le in P. rewrite <- (Z2Nat.id n) at 1 by exact P.
  assert (L : (Z.of_nat (Z.to_nat n) <= n)) by lia. revert L. generalize (Z.to_nat n). intros m.
  induction m as [|m IH]; intros L; [exact E|]. cbn [rounds].
  replace (Z.of_nat (Datatypes.S m)) with (Z.of_nat m + 1) by lia.
  eapply T; [apply G; [apply Z.leb_le | apply Z.ltb_lt]; lia|].
  apply H; [apply Z.leb_le; lia | apply Z.ltb_lt; lia | apply IH; lia].
Qed.
End Rounds.

(** Two states, or some and one more. *)
Definition both {S T} (R : S -> S -> Prop) (Q : T -> T -> Prop) (x y : S * T) : Prop := R (fst x) (fst y) /\ Q (snd x) (snd y).

Lemma both_pair {S T} (R : S -> S -> Prop) (Q : T -> T -> Prop) a b c d : R a c -> Q b d -> both R Q (a, b) (c, d).
Proof. intros H K. split; assumption. Qed.

Lemma both_trans {S T} (R : S -> S -> Prop) (Q : T -> T -> Prop) :
  (forall x y z, R x y -> R y z -> R x z) -> (forall x y z, Q x y -> Q y z -> Q x z) ->
  forall x y z, both R Q x y -> both R Q y z -> both R Q x z.
Proof. intros H K x y z [A B] [C D]. split; [eapply H | eapply K]; eassumption. Qed.

(** * Selections *)
Lemma cong_guard {V} (A : algebra V) (p q : bool) s a b :
  p = q -> (p = true -> teq s a b) -> teq s (guard A p a) (guard A q b).
Proof. intros <- H l B. unfold guard. destruct p; [apply H; auto | reflexivity]. Qed.

Lemma cong_select {V} (p q : bool) s (a b a' b' : tensor V) :
  p = q -> (p = true -> teq s a a') -> (p = false -> teq s b b') -> teq s (select p a b) (select q a' b').
Proof. intros <- H K l B. unfold select. destruct p; [apply H | apply K]; auto. Qed.

(** * The rest *)
Lemma cong_get {V} (A : algebra V) n m i j s a b :
  n = m -> i = j -> teq (n :: s) a b -> teq s (get A n a i) (get A m b j).
Proof.
  intros <- <- H l B. unfold get. destruct (in_range i n) eqn:E; [|reflexivity].
  apply H. split; [apply in_range_iff, E | exact B].
Qed.

Lemma cong_scalar {V} s (v w : V) : v = w -> teq s (scalar v) (scalar w).
Proof. intros ->. apply refl. Qed.

Lemma cong_view {V} s (a b : tensor V) : teq s a b -> teq s (view a) (view b).
Proof. auto. Qed.

Lemma cong_prim1 {V W} (f : V -> W) s a a' : teq s a a' -> teq s (prim1 f a) (prim1 f a').
Proof. intros H l B. unfold prim1. rewrite H by auto. reflexivity. Qed.

Lemma cong_prim2 {U V W} (f : U -> V -> W) s a a' b b' :
  teq s a a' -> teq s b b' -> teq s (prim2 f a b) (prim2 f a' b').
Proof. intros H K l B. unfold prim2. rewrite H, K by auto. reflexivity. Qed.

Lemma cong_prim3 {T U V W} (f : T -> U -> V -> W) s a a' b b' c c' :
  teq s a a' -> teq s b b' -> teq s c c' -> teq s (prim3 f a b c) (prim3 f a' b' c').
Proof. intros H K L l B. unfold prim3. rewrite H, K, L by auto. reflexivity. Qed.
