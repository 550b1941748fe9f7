(** Type safety: what is well typed does not trap.

    An expression has an element at every list of indices of its type; a program runs to its end, and leaves memory's domain as it
    was: every name still has the elements of its type, and no others. *)
Require Import Arith String List Bool Lia.
Require Export Atl.teil.Evaluation.
Import ListNotations.

Section Safety.
Context {V : Type} (A : algebra V).

Lemma total_defined (B : algebra V) n (f : nat -> option V) :
  (forall m, 1 <= m <= n -> exists v, f m = Some v) -> exists v, total B n f = Some v.
Proof.
  induction n as [|n IH]; intros H; [cbn; eauto|]. destruct IH as (a & E); [intros; apply H; lia|].
  destruct (H (S n)) as (b & F); [lia|]. cbn [total]. rewrite E, F. cbn. eauto.
Qed.

Theorem expression_safe G (h : memory V) e s k :
  typed G e s -> fits G h -> inside k s -> exists v, element A G h e k = Some v.
Proof.
  intros T F. revert k. induction T as [x s E|v|f e s T IH|f a b s Ta IHa Tb IHb|a b s Ta IHa Tb IHb|a b s Ta IHa Tb IHb
    |a b s t Ta IHa Tb IHb|B i e s t T IH W|i j e s t T IH X|i j e s n t T IH L I J W|i j e s n t u T IH L I J W W'
    |i n e s t T IH N E|i m e s n t T IH I M W]; intros k K; cbn [element].
  - destruct (h x k) as [v|] eqn:H; [eauto|]. exfalso. apply (proj2 (F x k)); [exists s; auto|exact H].
  - eauto.
  - destruct (IH k K) as (v & ->). cbn. eauto.
  - destruct (IHa k K) as (v & ->), (IHb k K) as (w & ->). cbn. eauto.
  - rewrite (proj2 (type_of_iff G a []) Ta). destruct (IHa [] (Forall2_nil _)) as (v & ->), (IHb k K) as (w & ->). cbn. eauto.
  - rewrite (proj2 (type_of_iff G a s) Ta). destruct (IHb k K) as (w & ->). destruct s as [|n s].
    + destruct (IHa [] (Forall2_nil _)) as (v & ->). cbn. eauto.
    + destruct (IHa k K) as (v & ->). cbn. eauto.
  - rewrite (proj2 (type_of_iff G a s) Ta). apply inside_app in K as [P Q].
    destruct (IHa _ P) as (v & ->), (IHb _ Q) as (w & ->). cbn. eauto.
  - rewrite (proj2 (type_of_iff G e s) T). destruct (proj1 (entry_there i s)) as (n & I); [apply without_there; eauto|].
    rewrite I. apply total_defined. intros m M. destruct (inside_insert _ _ _ _ _ _ I W M K) as (k' & -> & K'). apply IH, K'.
  - destruct (inside_exchange _ _ _ _ _ X K) as (k' & -> & K'). apply IH, K'.
  - rewrite <- (without_entry _ _ _ _ L W) in I. destruct (inside_entry _ _ _ _ K I) as (m & -> & M).
    destruct (inside_insert _ _ _ _ _ _ J W M K) as (k' & -> & K'). apply IH, K'.
  - rewrite (proj2 (type_of_iff G e s) T), I. apply total_defined. intros m M.
    rewrite <- (without_entry _ _ _ _ L W) in I. destruct (inside_insert _ _ _ _ _ _ I W' M K) as (k' & -> & K').
    destruct (inside_insert _ _ _ _ _ _ J W M K') as (k'' & -> & K''). apply IH, K''.
  - destruct (inside_without _ _ _ _ _ E K) as (k' & -> & K'). apply IH, K'.
  - destruct (inside_insert _ _ _ _ _ _ I W M K) as (k' & -> & K'). apply IH, K'.
Qed.

Lemma assign_safe G (h : memory V) x e s :
  G x = Some s -> typed G e s -> fits G h -> exists h', assign A G h x e = Some h' /\ fits G h'.
Proof.
  intros X T F. unfold assign. rewrite X.
  assert (All : forallb (fun k => is_some (element A G h e k) && is_some (h x k)) (all_inside s) = true).
  { apply forallb_forall. intros k K. apply in_all_inside in K. destruct (expression_safe _ _ _ _ _ T F K) as (v & ->).
    destruct (h x k) eqn:H; [reflexivity|]. exfalso. apply (proj2 (F x k)); eauto. }
  rewrite All. eexists. split; [reflexivity|]. intros y k.
  destruct (String.eqb_spec y x) as [->|N]; cbn [andb]; [|apply F].
  destruct (insideb k s) eqn:K; [|apply F]. apply insideb_iff in K. destruct (expression_safe _ _ _ _ _ T F K) as (v & ->).
  split; [eauto|discriminate].
Qed.

Lemma statement_safe G c (h : memory V) : well_formed G c -> fits G h -> exists h', run A G c h = Some h' /\ fits G h'.
Proof.
  intros W. revert h. induction W as [|x e s X T|a b Wa IHa Wb IHb]; intros h F; cbn [run].
  - eauto.
  - exact (assign_safe _ _ _ _ _ X T F).
  - destruct (IHa h F) as (h' & -> & F'). apply IHb, F'.
Qed.

Theorem program_safe (p : program V) (h : memory V) : OK_Prog p -> fits (context_of (allocated p)) h ->
  exists h', run_program A p h = Some h' /\ fits (context_of (allocated p)) h' /\ forall x k, h' x k = None <-> h x k = None.
Proof.
  intros (_ & _ & W) F. destruct (statement_safe _ _ _ W F) as (h' & R & F'). exists h'. repeat split; [exact R|apply F'..| |].
  - intros E. destruct (h x k) eqn:H; [|reflexivity]. exfalso. apply (proj2 (F' x k)); [|exact E]. apply F. congruence.
  - intros E. destruct (h' x k) eqn:H; [|reflexivity]. exfalso. apply (proj2 (F x k)); [|exact E]. apply F'. congruence.
Qed.
End Safety.
