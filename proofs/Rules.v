(** The primitive rules of the kernel, each a lemma of the same name.

    The laws that a lemma needs are in its [Proof using]; when the section closes it is generalised over exactly those. A
    test compares names and laws with the table of the kernel. *)
Require Import ZArith List Bool Lia.
Require Export Atl.Congruence.
Import ListNotations.
Open Scope Z_scope.

(** Bits moved down, and the low bits, of integers of which negative ones have all the bits above their sign: what [index_prim2] is given
    for them. *)
Lemma bits_moved_down (a k : Z) : 0 <= k -> Z.shiftr a k = a / 2 ^ k.
Proof. apply Z.shiftr_div_pow2. Qed.

Lemma low_bits (a k : Z) : 0 <= k -> Z.land a (2 ^ k - 1) = a mod 2 ^ k.
Proof. intros K. replace (2 ^ k - 1) with (Z.ones k) by (rewrite Z.ones_equiv; lia). apply Z.land_ones, K. Qed.

Section Rules.
Context {V : Type} (A : algebra V).
Hypothesis ADD_0_L : law_add_0_l A.
Hypothesis ADD_0_R : law_add_0_r A.
Hypothesis ADD_COMM : law_add_comm A.
Hypothesis ADD_ASSOC : law_add_assoc A.
Hypothesis MUL_0_L : law_mul_0_l A.
Hypothesis MUL_0_R : law_mul_0_r A.
Hypothesis MUL_1_L : law_mul_1_l A.
Hypothesis MUL_1_R : law_mul_1_r A.
Hypothesis MUL_ASSOC : law_mul_assoc A.
Hypothesis MUL_COMM : law_mul_comm A.
Hypothesis DISTR_L : law_distr_l A.
Hypothesis DISTR_R : law_distr_r A.
Variable index : Z -> V.
Hypothesis INDEX_COUNTS : law_index_counts A index.

Notation gen := (@gen V).
Notation sum := (sum A).
Notation guard := (guard A).
Notation get := (get A).
Notation plus := (prim2 (add A)).
Notation times := (prim2 (mul A)).
Notation zeros := (scalar (zero A)).
Implicit Types (a b c e t : tensor V) (f g : Z -> tensor V) (p q : bool) (k n m : Z) (s : shape).

Ltac pointwise := intros l _; unfold prim2, scalar, Tensor.guard, Tensor.get, select.

(** * Definitions and accesses *)
Lemma let_inline {W} s (x : tensor W) (body : tensor W -> tensor V) : teq s (let_in x body) (body x).
Proof using A. apply refl. Qed.

(** A defined operator is a name for its body. *)
Lemma unfold s e : teq s e e.
Proof using A. apply refl. Qed.

Lemma access_gen s n f k : in_range k n = true -> teq s (get n (gen n f) k) (f k).
Proof using A. intros H. pointwise. rewrite H. reflexivity. Qed.

Lemma access_guard s n e k : teq s (get n e k) (guard (in_range k n) (get n e k)).
Proof using A. pointwise. destruct (in_range k n); reflexivity. Qed.

Lemma gen_eta s n e : teq (n :: s) e (gen n (fun i => get n e i)).
Proof using A.
  intros l B. destruct (inbox_cons _ _ _ B) as (i & l' & -> & I & _).
  unfold Tensor.gen, Tensor.get. cbn. rewrite in_range_inside by exact I. reflexivity.
Qed.

(** * Guards *)
Lemma guard_true s p e : p = true -> teq s (guard p e) e.
Proof using A. intros ->. pointwise. reflexivity. Qed.

Lemma guard_zero s p : teq s (guard p zeros) zeros.
Proof using A. pointwise. destruct p; reflexivity. Qed.

Lemma guard_and s p q e : teq s (guard p (guard q e)) (guard (p && q) e).
Proof using A. pointwise. destruct p; reflexivity. Qed.

Lemma guard_add s p a b : teq s (guard p (plus a b)) (plus (guard p a) (guard p b)).
Proof using A ADD_0_L. pointwise. destruct p; [reflexivity | symmetry; apply ADD_0_L]. Qed.

Lemma guard_mul_l s p a b : teq s (times (guard p a) b) (guard p (times a b)).
Proof using A MUL_0_L. pointwise. destruct p; [reflexivity | apply MUL_0_L]. Qed.

Lemma guard_mul_r s p a b : teq s (times a (guard p b)) (guard p (times a b)).
Proof using A MUL_0_R. pointwise. destruct p; [reflexivity | apply MUL_0_R]. Qed.

Lemma guard_gen s p n f : teq s (guard p (gen n f)) (gen n (fun i => guard p (f i))).
Proof using A. apply refl. Qed.

Lemma guard_sum s p n f : teq s (guard p (sum n f)) (sum n (fun i => guard p (f i))).
Proof using A ADD_0_L.
  pointwise. unfold Tensor.sum. destruct p; [reflexivity | symmetry; apply bigsum_zero, ADD_0_L].
Qed.

(** * Selections and accesses *)
Lemma select_true s p a b : p = true -> teq s (select p a b) a.
Proof using A. intros ->. apply refl. Qed.

Lemma select_false s p a b : p = false -> teq s (select p a b) b.
Proof using A. intros ->. apply refl. Qed.

Lemma get_guard s n p e k : teq s (get n (guard p e) k) (guard p (get n e k)).
Proof using A. pointwise. destruct p, (in_range k n); reflexivity. Qed.

Lemma get_select s n m p a b k : n = m -> teq s (get n (select p a b) k) (select p (get n a k) (get m b k)).
Proof using A. intros <-. pointwise. destruct p, (in_range k n); reflexivity. Qed.

Lemma get_sum s m n f k : teq s (get m (sum n f) k) (sum n (fun i => get m (f i) k)).
Proof using A ADD_0_L.
  pointwise. unfold Tensor.sum. destruct (in_range k m); [reflexivity | symmetry; apply bigsum_zero, ADD_0_L].
Qed.

Lemma get_prim1 {T} (B : algebra T) s n (h : T -> V) (x : tensor T) k :
  in_range k n = true -> teq s (get n (prim1 h x) k) (prim1 h (Tensor.get B n x k)).
Proof using A. intros H. pointwise. unfold prim1. rewrite H. reflexivity. Qed.

Lemma get_prim2 {T U} (B : algebra T) (C : algebra U) s n m (h : T -> U -> V) (x : tensor T) (y : tensor U) k :
  in_range k n = true -> n = m ->
  teq s (get n (prim2 h x y) k) (prim2 h (Tensor.get B n x k) (Tensor.get C m y k)).
Proof using A. intros H <-. pointwise. rewrite H. reflexivity. Qed.

Lemma get_prim3 {T U W} (B : algebra T) (C : algebra U) (D : algebra W) s n m o
    (h : T -> U -> W -> V) (x : tensor T) (y : tensor U) (z : tensor W) k :
  in_range k n = true -> n = m -> n = o ->
  teq s (get n (prim3 h x y z) k) (prim3 h (Tensor.get B n x k) (Tensor.get C m y k) (Tensor.get D o z k)).
Proof using A. intros H <- <-. pointwise. unfold prim3. rewrite H. reflexivity. Qed.

Lemma get_view (B : algebra V) s n e k :
  in_range k n = true -> teq s (get n (view e) k) (view (Tensor.get B n e k)).
Proof using A. intros H. pointwise. unfold view. rewrite H. reflexivity. Qed.

(** * Sums *)
Lemma sum_empty s n f : (n <=? 0) = true -> teq s (sum n f) (guard false (f 0)).
Proof using A.
  intros H. apply Z.leb_le in H. pointwise. unfold Tensor.sum.
  replace (Z.to_nat n) with 0%nat by lia. reflexivity.
Qed.

Lemma sum_one s n f : (n =? 1) = true -> teq s (sum n f) (f 0).
Proof using A ADD_0_L.
  intros H. apply Z.eqb_eq in H. subst n. pointwise. apply ADD_0_L.
Qed.

Lemma sum_last s n f : (0 <? n) = true -> teq s (sum n f) (plus (sum (n - 1) f) (f (n - 1))).
Proof using A.
  intros H l _. apply Z.ltb_lt in H. unfold prim2, Tensor.sum.
  replace (Z.to_nat n) with (S (Z.to_nat (n - 1))) by lia. cbn [bigsum]. rewrite Z2Nat.id by lia. reflexivity.
Qed.

Lemma sum_split s k n f : (0 <=? k) && (k <=? n) = true ->
  teq s (sum n f) (plus (sum k f) (sum (n - k) (fun i => f (i + k)))).
Proof using A ADD_0_R ADD_ASSOC.
  intros H. apply andb_true_iff in H. rewrite !Z.leb_le in H. pointwise. unfold Tensor.sum.
  replace (Z.to_nat n) with (Z.to_nat k + Z.to_nat (n - k))%nat by lia.
  rewrite bigsum_app by assumption. f_equal. apply bigsum_ext. intros i _.
  f_equal. lia.
Qed.

Lemma sum_tile s (q : Z) k n f : (n =? q * k) && ((0 <=? q) && (0 <=? k)) = true ->
  teq s (sum n f) (sum q (fun o => sum k (fun j => f (o * k + j)))).
Proof using A ADD_0_R ADD_ASSOC.
  intros H. rewrite !andb_true_iff, Z.eqb_eq, !Z.leb_le in H. destruct H as (-> & Q & K).
  pointwise. unfold Tensor.sum. rewrite Z2Nat.inj_mul, bigsum_tile by assumption.
  apply bigsum_ext. intros o _. apply bigsum_ext. intros j _.
  f_equal. rewrite Nat2Z.inj_add, Nat2Z.inj_mul, Z2Nat.id by assumption. reflexivity.
Qed.

Lemma sum_swap s n m (f : Z -> Z -> tensor V) :
  teq s (sum n (fun i => sum m (fun j => f i j))) (sum m (fun j => sum n (fun i => f i j))).
Proof using A ADD_0_L ADD_COMM ADD_ASSOC. pointwise. apply bigsum_swap; assumption. Qed.

Lemma sum_add s n f g : teq s (sum n (fun i => plus (f i) (g i))) (plus (sum n f) (sum n g)).
Proof using A ADD_0_L ADD_COMM ADD_ASSOC. pointwise. unfold Tensor.sum. apply bigsum_add; assumption. Qed.

(** How many ones there are. *)
Lemma sum_ones s n : teq s (sum n (fun _ => scalar (one A))) (scalar (index (Z.max n 0))).
Proof using A INDEX_COUNTS.
  destruct INDEX_COUNTS as [AtZero Next]. pointwise. unfold Tensor.sum.
  assert (Counts : forall m : nat, bigsum A m (fun _ => one A) = index (Z.of_nat m)).
  { induction m as [|m IH]; cbn [bigsum]; [symmetry; exact AtZero|].
    rewrite IH, Nat2Z.inj_succ, <- Z.add_1_r. symmetry. apply Next. lia. }
  rewrite Counts. f_equal. lia.
Qed.

(** * Elements that are integers *)

(** An access to each dimension of a tensor, the outermost first. *)
Fixpoint accesses (s : shape) (t : tensor V) (at_ : list Z) : tensor V :=
  match s, at_ with
  | n :: s, i :: at_ => accesses s (get n t i) at_
  | _, _ => t
  end.

Fact accesses_in_box s : forall t at_ l, in_box at_ s = true -> accesses s t at_ l = t (at_ ++ l).
Proof using A.
  induction s as [|n s IH]; intros t [|i at_] l; cbn; try discriminate; [reflexivity|].
  rewrite andb_true_iff. intros [I B]. rewrite IH by exact B. unfold Tensor.get. cbn. rewrite I. reflexivity.
Qed.

(** The rule holds for elements inside the box only. Outside, an access gives the algebra's zero, and an index reads 0. *)
Lemma read_index s (to_int : V -> Z) (t : tensor V) at_ :
  (forall v, index (to_int v) = v) -> in_box at_ s = true ->
  teq [] (accesses s t at_) (scalar (index (read s to_int t at_))).
Proof using A.
  intros Back B [|] I; [|contradiction]. rewrite accesses_in_box, app_nil_r by exact B.
  unfold scalar, read. rewrite B, Back. reflexivity.
Qed.

Lemma literal_index s (v : V) z :
  (z = 0 /\ v = zero A) \/ (z = 1 /\ v = one A) \/ v = index z -> teq s (scalar v) (scalar (index z)).
Proof using A ADD_0_L INDEX_COUNTS.
  destruct INDEX_COUNTS as [AtZero Next]. intros Value l _. unfold scalar.
  destruct Value as [[-> ->]|[[-> ->]| ->]]; [symmetry; exact AtZero| |reflexivity].
  change 1 with (0 + 1). rewrite Next, AtZero by lia. symmetry. apply ADD_0_L.
Qed.

Fact counted_add (a b : Z) : 0 <= a -> 0 <= b -> add A (index a) (index b) = index (a + b).
Proof using A ADD_0_R ADD_ASSOC INDEX_COUNTS.
  destruct INDEX_COUNTS as [AtZero Next]. intros P. revert b. apply natlike_ind.
  - rewrite AtZero, ADD_0_R, Z.add_0_r. reflexivity.
  - intros b Q IH. rewrite <- Z.add_1_r, Next, <- ADD_ASSOC, IH, Z.add_assoc, Next by lia. reflexivity.
Qed.

Lemma index_add s (a b : Z) : 0 <= a -> 0 <= b ->
  teq s (prim2 (add A) (scalar (index a)) (scalar (index b))) (scalar (index (a + b))).
Proof using A ADD_0_R ADD_ASSOC INDEX_COUNTS. intros P Q. pointwise. unfold prim2, scalar. apply counted_add; assumption. Qed.

Lemma index_mul s (a b : Z) : 0 <= a -> 0 <= b ->
  teq s (prim2 (mul A) (scalar (index a)) (scalar (index b))) (scalar (index (a * b))).
Proof using A ADD_0_R ADD_ASSOC MUL_0_R MUL_1_R DISTR_L INDEX_COUNTS.
  intros P Q. pointwise. unfold prim2, scalar. revert b Q. apply natlike_ind.
  - rewrite (proj1 INDEX_COUNTS), MUL_0_R, Z.mul_0_r. symmetry. exact (proj1 INDEX_COUNTS).
  - intros b Q IH. rewrite <- Z.add_1_r, (proj2 INDEX_COUNTS), DISTR_L, MUL_1_R, IH by lia.
    rewrite counted_add by nia. f_equal. lia.
Qed.

(** Operations on the values of integer types are those on integers as long as nothing leaves its type: neither the operands nor the
    result. An operand that has wrapped around is another integer. *)
Lemma index_prim1 {U} s (from : Z -> U) (f : U -> V) (op : Z -> Z) (of_type of_result : Z -> bool) (a : Z) :
  (forall a : Z, of_type a = true -> of_result (op a) = true -> f (from a) = index (op a)) ->
  of_type a = true -> of_result (op a) = true ->
  teq s (prim1 f (scalar (from a))) (scalar (index (op a))).
Proof using A. intros Same P R. pointwise. apply Same; assumption. Qed.

Lemma index_prim2 {T U} s (from : Z -> T) (from' : Z -> U) (f : T -> U -> V) (op : Z -> Z -> Z)
  (of_type of_type' of_result : Z -> bool) (a b : Z) :
  (forall a b : Z, of_type a = true -> of_type' b = true -> of_result (op a b) = true -> f (from a) (from' b) = index (op a b)) ->
  of_type a = true -> of_type' b = true -> of_result (op a b) = true ->
  teq s (prim2 f (scalar (from a)) (scalar (from' b))) (scalar (index (op a b))).
Proof using A. intros Same P Q R. pointwise. apply Same; assumption. Qed.

Lemma gen_sum_swap s n m (f : Z -> Z -> tensor V) :
  teq s (gen n (fun i => sum m (fun j => f i j))) (sum m (fun j => gen n (fun i => f i j))).
Proof using A. apply refl. Qed.

(** A sum of which one term is not zero; the condition may have more parts, [q]. *)
Lemma onehot_sum s n k (q : Z -> bool) f :
  teq s (sum n (fun i => guard ((i =? k) && q i) (f i))) (guard (in_range k n && q k) (f k)).
Proof using A ADD_0_L ADD_0_R.
  pointwise. unfold Tensor.sum. destruct (in_range k n) eqn:E.
  - apply in_range_iff in E. rewrite (bigsum_one A ADD_0_L ADD_0_R _ (Z.to_nat k)).
    + rewrite Z2Nat.id, Z.eqb_refl by lia. reflexivity.
    + lia.
    + intros i _ N. replace (Z.of_nat i =? k) with false by (symmetry; apply Z.eqb_neq; lia). reflexivity.
  - cbn. rewrite (bigsum_ext A _ _ (fun _ => zero A)); [apply bigsum_zero, ADD_0_L|]. intros i I.
    destruct (Z.of_nat i =? k) eqn:K; [|reflexivity]. apply Z.eqb_eq in K.
    exfalso. assert (in_range k n = true) by (apply in_range_iff; lia). congruence.
Qed.

Lemma mul_sum_l s n c f : teq s (times c (sum n f)) (sum n (fun i => times c (f i))).
Proof using A MUL_0_R DISTR_L. pointwise. apply bigsum_mul_l; assumption. Qed.

Lemma mul_sum_r s n c f : teq s (times (sum n f) c) (sum n (fun i => times (f i) c)).
Proof using A MUL_0_L DISTR_R. pointwise. apply bigsum_mul_r; assumption. Qed.

(** * Pointwise laws *)

(** Of ordinary numbers with signs: a product by -1 is exact, and a difference is rounded as the sum with the other sign is. *)
Lemma sub_as_add s (f : V -> V -> V) (minus : V) a b : (forall x y, f x y = add A x (mul A minus y)) ->
  teq s (prim2 f a b) (plus a (times (scalar minus) b)).
Proof using A. intros Same. pointwise. apply Same. Qed.

Lemma add_assoc s a b c : teq s (plus (plus a b) c) (plus a (plus b c)).
Proof using A ADD_ASSOC. pointwise. apply ADD_ASSOC. Qed.

Lemma add_comm s a b : teq s (plus a b) (plus b a).
Proof using A ADD_COMM. pointwise. apply ADD_COMM. Qed.

(** What is added is zero: [p] is false, or [false] stands for the literal zero. *)
Lemma add_zero_l s p e a : p = false -> teq s (plus (guard p e) a) a.
Proof using A ADD_0_L. intros ->. pointwise. apply ADD_0_L. Qed.

Lemma add_zero_r s p e a : p = false -> teq s (plus a (guard p e)) a.
Proof using A ADD_0_R. intros ->. pointwise. apply ADD_0_R. Qed.

Lemma mul_assoc s a b c : teq s (times (times a b) c) (times a (times b c)).
Proof using A MUL_ASSOC. pointwise. apply MUL_ASSOC. Qed.

Lemma mul_comm s a b : teq s (times a b) (times b a).
Proof using A MUL_COMM. pointwise. apply MUL_COMM. Qed.

Lemma mul_one_l s a : teq s (times (scalar (one A)) a) a.
Proof using A MUL_1_L. pointwise. apply MUL_1_L. Qed.

Lemma mul_one_r s a : teq s (times a (scalar (one A))) a.
Proof using A MUL_1_R. pointwise. apply MUL_1_R. Qed.

Lemma distr_l s a b c : teq s (times a (plus b c)) (plus (times a b) (times a c)).
Proof using A DISTR_L. pointwise. apply DISTR_L. Qed.

Lemma distr_r s a b c : teq s (times (plus a b) c) (plus (times a c) (times b c)).
Proof using A DISTR_R. pointwise. apply DISTR_R. Qed.

(** * Rounds *)
Lemma iterate_zero {S} s n (x : S) step (b : S -> tensor V) : (n <=? 0) = true -> teq s (iterated n x step b) (b x).
Proof using A.
  intros H. apply Z.leb_le in H. unfold iterated. replace (Z.to_nat n) with O by lia. apply refl.
Qed.

Lemma iterate_last {S} s n (x : S) step (b : S -> tensor V) : (0 <? n) = true ->
  teq s (iterated n x step b) (iterated (n - 1) x step (fun y => b (step (n - 1) y))).
Proof using A.
  intros H. apply Z.ltb_lt in H. unfold iterated. replace (Z.to_nat n) with (Datatypes.S (Z.to_nat (n - 1))) by lia.
  cbn [rounds]. rewrite Z2Nat.id by lia. apply refl.
Qed.

Lemma iterate_body {S} s n (x : S) step (b : S -> tensor V) :
  teq s (iterated n x step b) (b (iterated n x step (fun y => y))).
Proof using A. apply refl. Qed.

(** * Laws of monoids that programs claim

    An element is a tuple [T], of any number of fields; of [M] only the zero and the addition are spoken of. What the kernel writes of a field of a sum
    is that field of the sum of tuples, at the elements' values. *)
Lemma monoid_law_add_0_l {T} (M : algebra T) (field : T -> V) s (x : tensor T) : law_add_0_l M ->
  teq s (prim1 field (prim2 (add M) (scalar (zero M)) x)) (prim1 field x).
Proof using A. intros H. pointwise. unfold prim1. rewrite H. reflexivity. Qed.

Lemma monoid_law_add_0_r {T} (M : algebra T) (field : T -> V) s (x : tensor T) : law_add_0_r M ->
  teq s (prim1 field (prim2 (add M) x (scalar (zero M)))) (prim1 field x).
Proof using A. intros H. pointwise. unfold prim1. rewrite H. reflexivity. Qed.

Lemma monoid_law_add_comm {T} (M : algebra T) (field : T -> V) s (x y : tensor T) : law_add_comm M ->
  teq s (prim1 field (prim2 (add M) x y)) (prim1 field (prim2 (add M) y x)).
Proof using A. intros H. pointwise. unfold prim1. rewrite H. reflexivity. Qed.

Lemma monoid_law_add_assoc {T} (M : algebra T) (field : T -> V) s (x y z : tensor T) : law_add_assoc M ->
  teq s (prim1 field (prim2 (add M) (prim2 (add M) x y) z)) (prim1 field (prim2 (add M) x (prim2 (add M) y z))).
Proof using A. intros H. pointwise. unfold prim1. rewrite H. reflexivity. Qed.

Lemma monoid_law_add_idem {T} (M : algebra T) (field : T -> V) s (x : tensor T) : law_add_idem M ->
  teq s (prim1 field (prim2 (add M) x x)) (prim1 field x).
Proof using A. intros H. pointwise. unfold prim1. rewrite H. reflexivity. Qed.

(** * Views, arithmetic, contradictions *)
Lemma view_same s e : teq s (view e) e.
Proof using A. apply refl. Qed.

Lemma view_view s e : teq s (view (view e)) (view e).
Proof using A. apply refl. Qed.

Lemma view_gen s n f : teq s (view (gen n f)) (gen n (fun i => view (f i))).
Proof using A. apply refl. Qed.

(** Index terms may be replaced by equal ones; under binders and guards by the congruences. *)
Lemma arith_eq {X} s (e : X -> tensor V) (x y : X) : x = y -> teq s (e x) (e y).
Proof using A. intros ->. apply refl. Qed.

Lemma absurd s a b : false = true -> teq s a b.
Proof using A. discriminate. Qed.
End Rules.
