(** A product of matrices, as it is written: that it has a type, and which loops lowering gives. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.lowering.Right Atl.lowering.Same.
Import ListNotations.
Open Scope Z_scope.

Section Example.
Context {V : Type} (A : algebra V) (mul : V -> V -> V) (ints : arrays) (N K M : Z).
Hypothesis lawful : law_add_0_l A /\ law_add_0_r A /\ law_add_assoc A.

(** Levels 0, 1 and 2 are the sizes. *)
Let entries : context := [Number N; Number K; Number M].
Let S : signature V := Signature [A] [] [] [] [mul] [].
Let none (l : nat) : string := ""%string.

Definition memory_of : buffers := [("a"%string, [Free 0; Free 1]); ("b"%string, [Free 1; Free 2])].
(** [gen i < N, j < M { sum k < K { a[i, k] * b[k, j] } }] *)
Definition product : tensor_word :=
  EGen (Free 0) (EGen (Free 2) (ESum 0 (Free 1) (ETwo 0
    (EGet 0 (Free 1) (EGet 0 (Free 0) (ETensor 0) (Bound 2)) (Bound 0)) (EGet 0 (Free 2) (EGet 0 (Free 1) (ETensor 1) (Bound 0)) (Bound 1))))).

(** The output begins as zero; each iteration of the innermost loop adds to its cell. *)
Example product_loops : lower_program none "out" memory_of product [Free 0; Free 2] =
  LSeq (LReset "out" (Some (CZero 0)))
    (LFor (IPlain (Lit 0)) (IPlain (Free 0)) (LFor (IPlain (Lit 0)) (IPlain (Free 2)) (LFor (IPlain (Lit 0)) (IPlain (Free 1))
      (LUpdate 0 "out"
        (ICalc Add (ICalc Mul (IPlain (Bound 2)) (ICalc Mul (IPlain (Free 2)) (IPlain (Lit 1))))
          (ICalc Add (ICalc Mul (IPlain (Bound 1)) (IPlain (Lit 1))) (IPlain (Lit 0))))
        (VTwo 0
          (VLoad "a" (ICalc Add (ICalc Mul (IPlain (Bound 2)) (ICalc Mul (IPlain (Free 1)) (IPlain (Lit 1))))
            (ICalc Add (ICalc Mul (IPlain (Bound 0)) (IPlain (Lit 1))) (IPlain (Lit 0)))))
          (VLoad "b" (ICalc Add (ICalc Mul (IPlain (Bound 0)) (ICalc Mul (IPlain (Free 2)) (IPlain (Lit 1))))
            (ICalc Add (ICalc Mul (IPlain (Bound 1)) (IPlain (Lit 1))) (IPlain (Lit 0)))))))))).
Proof. reflexivity. Qed.

Lemma product_typed (a b : tensor V) : well_typed ints entries none product [] [a; b] memory_of (output_target "out" product [Free 0; Free 2]) [Free 0; Free 2].
Proof.
  cbn. split; [exact I|]. split; [reflexivity|]. intros i Hi. split; [exact I|]. split; [reflexivity|]. intros j Hj.
  split; [reflexivity|]. split; [exact I|]. intros k Hk. split; [reflexivity|].
  assert (R : forall i n, 0 <= i < n -> in_range i n = true) by (intros; apply in_range_iff; assumption).
  split; (split; [repeat constructor|split; [|reflexivity]]); repeat (apply Forall2_cons || apply Forall2_nil); repeat split; cbn; auto.
Qed.

(** So its loops are right, for all sizes. *)
Theorem product_right (a b : tensor V) h :
  holds h (Known "a" [N; K] a) -> holds h (Known "b" [K; M] b) -> h "out"%string = Some (fresh (room [N; M]) None) ->
  exists h', run ints (statement_of A S entries [] (lower_program none "out" memory_of product [Free 0; Free 2])) h = Some h' /\
    (forall y, y <> "out"%string -> h' y = h y) /\
    holds h' (Known "out" [N; M] (gen N (fun i => gen M (fun j => sum A K (fun k =>
      prim2 mul (get A K (get A N a i) k) (get A M (get A K b k) j)))))).
Proof.
  intros Ha Hb E. refine (program_right A S ints entries none _ "out" memory_of [a; b] product [Free 0; Free 2] h eq_refl eq_refl _ (product_typed a b) _ E).
  - intros [|[|n]]; exact lawful.
  - repeat constructor.
  - split; [|constructor]. repeat constructor; assumption.
Qed.
End Example.
