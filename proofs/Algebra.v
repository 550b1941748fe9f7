(** Algebras and their named laws; finite sums.

    An algebra over a carrier is four operations and no laws. Every lemma of this library says which laws it needs,
    by the names that the kernel uses. *)
Require Import Arith ZArith Lia.

Record algebra (V : Type) := { zero : V; one : V; add : V -> V -> V; mul : V -> V -> V }.
Arguments zero {V}. Arguments one {V}. Arguments add {V}. Arguments mul {V}.

(** * The laws *)
Section Laws.
Context {V : Type} (A : algebra V).
Definition law_add_0_l := forall a, add A (zero A) a = a.
Definition law_add_0_r := forall a, add A a (zero A) = a.
Definition law_add_comm := forall a b, add A a b = add A b a.
Definition law_add_assoc := forall a b c, add A (add A a b) c = add A a (add A b c).
Definition law_mul_0_l := forall a, mul A (zero A) a = zero A.
Definition law_mul_0_r := forall a, mul A a (zero A) = zero A.
Definition law_mul_1_l := forall a, mul A (one A) a = a.
Definition law_mul_1_r := forall a, mul A a (one A) = a.
Definition law_mul_assoc := forall a b c, mul A (mul A a b) c = mul A a (mul A b c).
Definition law_mul_comm := forall a b, mul A a b = mul A b a.
Definition law_distr_l := forall a b c, mul A a (add A b c) = add A (mul A a b) (mul A a c).
Definition law_distr_r := forall a b c, mul A (add A a b) c = add A (mul A a c) (mul A b c).
Definition law_add_idem := forall a, add A a a = a.
(** Of a function from integers to the carrier. *)
Definition law_index_counts := fun index : Z -> V =>
  index 0%Z = zero A /\ forall k, (0 <= k)%Z -> index (k + 1)%Z = add A (index k) (one A).
End Laws.

(** * Sums, from zero and from the left: [((0 + f 0) + f 1) + ..] *)
Section Sums.
Context {V : Type} (A : algebra V).
Fixpoint bigsum (n : nat) (f : nat -> V) : V :=
  match n with O => zero A | S n => add A (bigsum n f) (f n) end.

Lemma bigsum_ext n f g : (forall i, i < n -> f i = g i) -> bigsum n f = bigsum n g.
Proof.
  induction n as [|n IH]; cbn; intros H; [reflexivity|].
  rewrite IH, H by auto. reflexivity.
Qed.

Hypothesis ADD_0_L : law_add_0_l A.
Hypothesis ADD_0_R : law_add_0_r A.
Hypothesis ADD_COMM : law_add_comm A.
Hypothesis ADD_ASSOC : law_add_assoc A.
Hypothesis MUL_0_L : law_mul_0_l A.
Hypothesis MUL_0_R : law_mul_0_r A.
Hypothesis DISTR_L : law_distr_l A.
Hypothesis DISTR_R : law_distr_r A.

Lemma bigsum_zero n : bigsum n (fun _ => zero A) = zero A.
Proof using ADD_0_L. induction n as [|n IH]; cbn; [reflexivity|]. rewrite IH. apply ADD_0_L. Qed.

Lemma bigsum_app n m f : bigsum (n + m) f = add A (bigsum n f) (bigsum m (fun j => f (n + j))).
Proof using ADD_0_R ADD_ASSOC.
  induction m as [|m IH]; cbn; [rewrite Nat.add_0_r, ADD_0_R; reflexivity|].
  rewrite Nat.add_succ_r. cbn. rewrite IH. apply ADD_ASSOC.
Qed.

Lemma bigsum_tile q k f : bigsum (q * k) f = bigsum q (fun o => bigsum k (fun j => f (o * k + j))).
Proof using ADD_0_R ADD_ASSOC.
  induction q as [|q IH]; cbn; [reflexivity|].
  rewrite (Nat.add_comm k), bigsum_app, IH. reflexivity.
Qed.

Lemma bigsum_add n f g : bigsum n (fun i => add A (f i) (g i)) = add A (bigsum n f) (bigsum n g).
Proof using ADD_0_L ADD_COMM ADD_ASSOC.
  induction n as [|n IH]; cbn; [symmetry; apply ADD_0_L|].
  rewrite IH, !ADD_ASSOC. f_equal. rewrite <- !ADD_ASSOC. f_equal. apply ADD_COMM.
Qed.

Lemma bigsum_swap n m f :
  bigsum n (fun i => bigsum m (fun j => f i j)) = bigsum m (fun j => bigsum n (fun i => f i j)).
Proof using ADD_0_L ADD_COMM ADD_ASSOC.
  induction n as [|n IH]; cbn; [symmetry; apply bigsum_zero|].
  rewrite IH, bigsum_add. reflexivity.
Qed.

Lemma bigsum_mul_l n c f : mul A c (bigsum n f) = bigsum n (fun i => mul A c (f i)).
Proof using MUL_0_R DISTR_L. induction n as [|n IH]; cbn; [apply MUL_0_R|]. rewrite DISTR_L, IH. reflexivity. Qed.

Lemma bigsum_mul_r n c f : mul A (bigsum n f) c = bigsum n (fun i => mul A (f i) c).
Proof using MUL_0_L DISTR_R. induction n as [|n IH]; cbn; [apply MUL_0_L|]. rewrite DISTR_R, IH. reflexivity. Qed.

(** All terms but one are zero. *)
Lemma bigsum_one n k f : k < n -> (forall i, i < n -> i <> k -> f i = zero A) -> bigsum n f = f k.
Proof using ADD_0_L ADD_0_R.
  induction n as [|n IH]; cbn; intros Hk H; [lia|].
  destruct (Nat.eq_dec k n) as [->|N].
  - rewrite (bigsum_ext n f (fun _ => zero A)) by (intros; apply H; lia).
    rewrite bigsum_zero. apply ADD_0_L.
  - rewrite (H n) by lia. rewrite ADD_0_R. apply IH; [lia|]. intros; apply H; lia.
Qed.
End Sums.
