(** What levels look for: the coordinates of slices that are not zero, and the position of an entry. *)
Require Import Arith List Bool Lia Sorted.
Require Export Atl.formats.Arrays.
Import ListNotations.

(** A position of one coordinate. *)
Definition just (c : nat) : range := (c, S c).

Lemma within_just c d : within (just c) d <-> d = c.
Proof. unfold within, just. cbn. lia. Qed.

(** * The first entry of which something holds *)
Fixpoint find_at {E} (p : E -> bool) (es : list E) : option nat :=
  match es with
  | [] => None
  | e :: es => if p e then Some 0 else option_map S (find_at p es)
  end.

Lemma find_at_some {E} (p : E -> bool) es q : find_at p es = Some q ->
  exists e, nth_error es q = Some e /\ p e = true /\ forall q' e', q' < q -> nth_error es q' = Some e' -> p e' = false.
Proof.
  revert q. induction es as [|e es IH]; cbn; [discriminate|]. intros q. destruct (p e) eqn:P.
  - intros H. injection H as <-. exists e. repeat split; auto. intros q' e' Q. lia.
  - destruct (find_at p es) as [q'|]; [|discriminate]. intros H. injection H as <-.
    destruct (IH q' eq_refl) as (x & N & Px & F). exists x. repeat split; auto.
    intros [|k] e' Q I; cbn in I; [injection I as <-; exact P|]. apply (F k e'); [lia|exact I].
Qed.

Lemma find_at_none {E} (p : E -> bool) es : find_at p es = None -> forall e, In e es -> p e = false.
Proof.
  induction es as [|e es IH]; cbn; [easy|]. destruct (p e) eqn:P; [discriminate|].
  destruct (find_at p es); [discriminate|]. intros _ x [<-|I]; auto.
Qed.

(** It is found where it is, if it holds of one entry only. *)
Lemma find_at_only {E} (p : E -> bool) es q e : nth_error es q = Some e -> p e = true ->
  (forall q' e', nth_error es q' = Some e' -> p e' = true -> q' = q) -> find_at p es = Some q.
Proof.
  intros I P U. destruct (find_at p es) as [q'|] eqn:F.
  - destruct (find_at_some _ _ _ F) as (e' & I' & P' & _). f_equal. exact (U q' e' I' P').
  - rewrite (find_at_none _ _ F e (nth_error_In _ _ I)) in P. discriminate.
Qed.

Lemma nth_error_below {E} (es : list E) q e : nth_error es q = Some e -> q < length es.
Proof. intros H. apply nth_error_Some. rewrite H. discriminate. Qed.

Lemma nth_error_at {E} (es : list E) q : q < length es -> exists e, nth_error es q = Some e.
Proof. intros H. destruct (nth_error es q) as [e|] eqn:I; [eauto|]. apply nth_error_None in I. lia. Qed.

Lemma NoDup_at {E} (es : list E) q q' e : NoDup es -> nth_error es q = Some e -> nth_error es q' = Some e -> q = q'.
Proof. intros D I J. apply (proj1 (NoDup_nth_error es) D); [exact (nth_error_below _ _ _ I)|congruence]. Qed.

Lemma sorted_NoDup {E} (before : E -> E -> Prop) es : (forall e, ~ before e e) -> StronglySorted before es -> NoDup es.
Proof.
  intros Irr. induction 1 as [|e es S IH F]; constructor; [|exact IH]. intros I.
  exact (Irr e (proj1 (Forall_forall _ _) F e I)).
Qed.

(** * The slices that are not zero *)
Definition nonzero (t : list nat) : list nat := filter (fun c => negb (nth c t 0 =? 0)) (seq 0 (length t)).

Lemma nonzero_in t c : In c (nonzero t) <-> c < length t /\ nth c t 0 <> 0.
Proof. unfold nonzero. rewrite filter_In, in_seq, negb_true_iff, Nat.eqb_neq. lia. Qed.

Lemma filter_sorted p k n : StronglySorted lt (filter p (seq k n)).
Proof.
  revert k. induction n as [|n IH]; intros k; cbn; [constructor|].
  destruct (p k); [|apply IH]. constructor; [apply IH|]. apply Forall_forall. intros c I.
  apply filter_In in I as [I _]. apply in_seq in I. lia.
Qed.

Lemma nonzero_sorted t : StronglySorted lt (nonzero t).
Proof. apply filter_sorted. Qed.

Lemma sorted_map {E F} (r : E -> E -> Prop) (r' : F -> F -> Prop) (f : E -> F) es :
  (forall a b, In a es -> In b es -> r a b -> r' (f a) (f b)) -> StronglySorted r es -> StronglySorted r' (map f es).
Proof.
  intros M S. induction S as [|e es S IH Fa]; cbn; constructor.
  - apply IH. intros a b Ia Ib. apply M; right; assumption.
  - apply Forall_map, Forall_forall. intros b Ib. apply M; [left; reflexivity|right; exact Ib|].
    exact (proj1 (Forall_forall _ _) Fa b Ib).
Qed.
