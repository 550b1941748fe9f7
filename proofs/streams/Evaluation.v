(** What streams mean: at each index, the sum of what is emitted there. Combinators are homomorphisms.

    [value] is what an emitted value means: an element itself, or, of a stream of streams, the meaning of the inner one at the other
    indices. So the theorems hold at every depth: they ask that values are combined as their meanings are. *)
Require Import Arith List Bool Lia.
Require Export Atl.Algebra Atl.streams.Sources Atl.streams.Combinators.
Import ListNotations.

Section Evaluation.
Context {V : Type} (A : algebra V).

Definition total {W} (means : W -> V) (xs : list W) : V := fold_right (fun x s => add A (means x) s) (zero A) xs.
Definition eval {W} (means : W -> V) (S : stream W) (q : state S) (j : nat) : V := total means (emits S q j).

Theorem eval_map {U W} (f : U -> W) means (S : stream U) q j :
  eval means (map_values f S) q j = eval (fun x => means (f x)) S q j.
Proof. unfold eval. rewrite map_emits. unfold total. induction (emits S q j) as [|x xs IH]; cbn; [|rewrite IH]; reflexivity. Qed.

(** [[P i] * s]: a predicate of the index alone. *)
Theorem eval_filter {W} (P : nat -> bool) means (S : stream W) q j : lawful S ->
  eval means (filtered (fun i _ => P i) S) q j = if P j then eval means S q j else zero A.
Proof.
  intros L. unfold eval. rewrite filter_emits by exact L. destruct (P j) eqn:E.
  - f_equal. induction (emits S q j) as [|x xs IH]; cbn; [|rewrite IH]; reflexivity.
  - replace (filter (fun _ => false) (emits S q j)) with (@nil W); [reflexivity|]. induction (emits S q j); auto.
Qed.

Theorem eval_product {U W X} lead (f : U -> W -> X) (S : stream U) (T : stream W) mu mw mx q j :
  law_add_0_r A -> law_mul_0_l A -> law_mul_0_r A -> (forall x y, mx (f x y) = mul A (mu x) (mw y)) ->
  strictly_lawful S -> strictly_lawful T ->
  eval mx (product S T f lead) q j = mul A (eval mu S (fst q) j) (eval mw T (snd q) j).
Proof.
  intros R Zl Zr M LS LT. unfold eval. rewrite product_emits by assumption.
  destruct (emits_once S LS (fst q) j) as [->|[x ->]]; [cbn; rewrite Zl; reflexivity|].
  destruct (emits_once T LT (snd q) j) as [->|[y ->]]; cbn; rewrite ?R; [rewrite Zr; reflexivity|apply M].
Qed.

Theorem eval_sum {W} (f : W -> W -> W) (S T : stream W) means q j :
  law_add_0_l A -> law_add_0_r A -> (forall x y, means (f x y) = add A (means x) (means y)) ->
  strictly_lawful S -> strictly_lawful T ->
  eval means (Sum.sum S T f) q j = add A (eval means S (fst q) j) (eval means T (snd q) j).
Proof.
  intros L R M LS LT. unfold eval. rewrite sum_emits by assumption.
  destruct (emits_once S LS (fst q) j) as [->|[x ->]]; destruct (emits_once T LT (snd q) j) as [->|[y ->]]; cbn; rewrite ?R, ?L; auto.
Qed.

(** The sum over an index: all that is emitted, added up as it comes. *)
Theorem eval_contract {W} means (S : stream W) q n :
  law_add_0_l A -> law_add_0_r A -> law_add_comm A -> law_add_assoc A -> lawful S -> Forall (fun e => fst e < n) (trace S q) ->
  eval means (contracted S) q 0 = bigsum A n (fun j => eval means S q j).
Proof.
  intros L R C As LS F. unfold eval. rewrite contract_emits by exact LS. cbn [Nat.eqb]. unfold emits.
  induction F as [|[i x] es E _ IH].
  - symmetry. apply bigsum_zero, L.
  - cbn [map snd total fold_right]. fold (total means (map snd es)). rewrite IH.
    assert (X : means x = bigsum A n (fun j => if i =? j then means x else zero A)).
    { rewrite (bigsum_one A L R n i); [rewrite Nat.eqb_refl; reflexivity|exact E|].
      intros j _ N. rewrite (proj2 (Nat.eqb_neq i j)) by congruence. reflexivity. }
    rewrite X, <- (bigsum_add A L C As). apply bigsum_ext. intros j _. unfold at_index. cbn.
    destruct (i =? j); cbn; [reflexivity|apply L].
Qed.

(** [rep]: a value at every index. *)
Theorem eval_replicate {W} means (x : W) n j : law_add_0_r A -> j < n ->
  eval means (dense n (fun _ => x)) 0 j = means x.
Proof.
  intros R H. unfold eval, dense. rewrite source_emits; [|auto|].
  - rewrite Nat.sub_0_r. replace n with (j + S (n - S j)) by lia. rewrite seq_app, flat_map_app. cbn [seq flat_map].
    rewrite Nat.eqb_refl.
    assert (Z : forall k m, (forall y, In y (seq k m) -> y <> j) -> flat_map (fun y => if y =? j then [x] else []) (seq k m) = []).
    { intros k m. induction (seq k m) as [|y ys IH]; [reflexivity|]. intros N. cbn. rewrite (proj2 (Nat.eqb_neq y j)) by (apply N; left; reflexivity).
      apply IH. intros z I. apply N. right. exact I. }
    rewrite !Z; [cbn; apply R| |]; intros y I; apply in_seq in I; lia.
  - intros y p Y. apply dense_finds, Y.
Qed.
End Evaluation.
