(** Whole kernels: statements that are grouped as their proofs need it, allocations, and what a call computes. *)
Require Import ZArith List Bool String Lia.
Require Export Atl.Diagonals.
Import ListNotations.
Open Scope Z_scope.

(** * Grouping *)
Section Regroup.
Context {V : Type} {ints : arrays}.
Notation run := (run ints).
Notation fills := (fills ints).
Notation makes := (makes ints).
Implicit Types (G : list (known V)) (X : scratch) (p q : statement V) (t u : tensor V) (b x y : string).
Implicit Types (C : index -> bool) (place : index -> Z) (k : kind) (h : memory V).

(** Statements in order are [Seq p (Seq q ..)]: the first [n] of them, and the others. *)
Fixpoint take (n : nat) (p : statement V) : statement V :=
  match n, p with
  | S O, Seq p _ => p
  | S n, Seq p q => Seq p (take n q)
  | _, p => p
  end.
Fixpoint drop (n : nat) (p : statement V) : statement V :=
  match n, p with
  | S n, Seq _ q => drop n q
  | O, p => p
  | _, _ => Skip
  end.
Fixpoint longer (n : nat) (p : statement V) : bool :=
  match n, p with
  | S O, Seq _ _ => true
  | S n, Seq _ q => longer n q
  | _, _ => false
  end.
Definition regroup (n : nat) (p : statement V) : statement V := Seq (take n p) (drop n p).

Lemma run_regroup n p h : longer n p = true -> run p h = run (regroup n p) h.
Proof.
  unfold regroup. revert p h. induction n as [|n IH]; intros p h; [easy|].
  destruct p as [|p q| | | | | | | |]; destruct n as [|n]; try easy. intros H. cbn [longer] in H.
  specialize (IH q). change (take (S (S n)) (Seq p q)) with (Seq p (take (S n) q)).
  change (drop (S (S n)) (Seq p q)) with (drop (S n) q). cbn [run] in IH |- *.
  destruct (run p h) as [h'|]; [|reflexivity]. cbn [bind]. exact (IH h' H).
Qed.

Lemma fills_run (A : algebra V) G X p q b s C place t k : (forall h, run p h = run q h) ->
  fills A G X q b s C place t k -> fills A G X p b s C place t k.
Proof. intros E F D J h W Bf. rewrite E. exact (F D J h W Bf). Qed.

Lemma fills_regroup (A : algebra V) n G X p b s C place t k : longer n p = true ->
  fills A G X (regroup n p) b s C place t k -> fills A G X p b s C place t k.
Proof. intros L. apply fills_run. intros h. apply run_regroup, L. Qed.

Lemma fills_alloc_regroup (A : algebra V) n G X x sx v p b s C place t k : longer n p = true ->
  fills A G X (Alloc x sx v (regroup n p)) b s C place t k -> fills A G X (Alloc x sx v p) b s C place t k.
Proof. intros L. apply fills_run. intros h. cbn [run]. rewrite (run_regroup n p) by exact L. reflexivity. Qed.

Lemma room_one n s : n = 1 -> room (n :: s) = room s.
Proof. intros ->. cbn [room]. rewrite Z.max_r by lia. apply Z.mul_1_l. Qed.

(** * The output *)
Lemma makes_any G X p b s t v : makes G X p b s t None -> makes G X p b s t (Some v).
Proof. intros M h W E. apply (M h W). rewrite E. reflexivity. Qed.

Lemma makes_alloc G X p x sx v b s t init : String.eqb x b = false -> apart G X x = true ->
  makes G ((x, room sx) :: X) p b s t init -> makes G X (Alloc x sx v p) b s t init.
Proof.
  intros N Dx M h W E. apply String.eqb_neq in N. destruct (apart_names G X x Dx) as [Gx Xx].
  set (h0 := put h x (Some (fresh (room sx) v))).
  assert (Eb : h0 b = h b) by (apply put_other; congruence).
  destruct (world_put G X x h (Some (fresh (room sx) v)) Dx W) as [W1 W2].
  destruct (M h0) as (h2 & R & O & S & T & H).
  - split; [exact W1|]. constructor; [cbn; unfold h0; rewrite put_same; reflexivity|exact W2].
  - rewrite Eb. exact E.
  - exists (put h2 x (h x)). assert (B2 : put h2 x (h x) b = h2 b) by (apply put_other; congruence).
    split; [cbn [run]; fold h0; rewrite R; reflexivity|]. split; [|split; [|split]].
    + intros y Ny Iy. destruct (string_dec y x) as [->|Nx]; [apply put_same|].
      rewrite put_other by exact Nx. rewrite O; [apply put_other, Nx|exact Ny|]. cbn. intros [<-|]; auto.
    + rewrite B2, S, Eb. reflexivity.
    + inversion T as [|? ? _ U]; subst. unfold there. rewrite Forall_forall in *. intros z Z.
      rewrite put_other; [auto|]. intros Q. apply Xx. rewrite <- Q. apply in_map, Z.
    + apply (holds_eq h2); [exact B2|exact H].
Qed.

(** What a call computes: the output has the value of [u], nothing else has changed, and nothing trapped. *)
Theorem computes G p b s t u : makes G [] p b s t (Some None) -> teq s u t ->
  forall h, Forall (holds h) G -> h b = Some (fresh (room s) None) ->
  exists h', run p h = Some h' /\ (forall y, y <> b -> h' y = h y) /\
    forall l, inbox l s -> load h' b (flat s l) = Some (u l).
Proof.
  intros M E h W I. destruct (M h) as (h' & R & O & _ & _ & H); [split; [exact W|constructor]|exact I|].
  exists h'. split; [exact R|]. split; [intros y N; apply O; [exact N|easy]|].
  intros l B. rewrite E by exact B. exact (H l B eq_refl).
Qed.
End Regroup.
