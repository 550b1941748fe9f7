(** Streams, their laws, and what they emit.

    A stream is a machine that visits indices in order and emits values at some of them. Where it stands, and what it may be
    asked for, are the same things: an index, and whether something is emitted there. As a request, it says what is
    not needed any more: nothing before the index, and if the second is true, nothing at it. *)
Require Import Arith List Bool Lia.
Import ListNotations.

Definition position : Type := nat * bool.
Definition key (p : position) : nat := 2 * fst p + if snd p then 1 else 0.
(** May what is emitted at [j] be needed after the request? *)
Definition needs (p : position) (j : nat) : Prop := key p <= 2 * j.

Record stream (W : Type) := Stream {
  state : Type;
  stands : state -> option position;
  value : state -> W;
  skip : state -> position -> state;
  left : state -> nat
}.
Arguments state {W}. Arguments stands {W}. Arguments value {W}. Arguments skip {W}. Arguments left {W}.

Section Streams.
Context {W : Type} (S : stream W).
Implicit Types (q : state S) (p h : position) (i j : nat).

(** * Emission: the loop that a stream becomes, [while valid { i = index; if ready { emit } skip(i, ready) }] *)
Fixpoint visit (fuel : nat) (q : state S) : list (nat * W) :=
  match fuel with
  | 0 => []
  | Datatypes.S fuel =>
      match stands S q with
      | None => []
      | Some h => (if snd h then [(fst h, value S q)] else []) ++ visit fuel (skip S q h)
      end
  end.
Definition trace q : list (nat * W) := visit (left S q) q.

(** What is emitted at one index, in order. *)
Definition at_index (j : nat) (es : list (nat * W)) : list W := map snd (filter (fun e => fst e =? j) es).
Definition emits q (j : nat) : list W := at_index j (trace q).

(** * The laws, by the names that the library of streams has *)
Definition Progress : Prop := forall q p,
  left S (skip S q p) <= left S q /\
  forall h, stands S q = Some h -> key h <= key p -> left S (skip S q p) < left S q.
Definition Monotone : Prop := forall q p,
  match stands S q, stands S (skip S q p) with
  | Some h, Some h' => fst h <= fst h'
  | None, Some _ => False
  | _, None => True
  end.
Definition Preservation : Prop := forall q p j, needs p j -> emits (skip S q p) j = emits q j.
Definition Strictness : Prop := forall q p i h', stands S q = Some (i, true) -> key (i, true) <= key p ->
  stands S (skip S q p) = Some h' -> i < fst h'.

Record lawful : Prop := Lawful { progress : Progress; monotone : Monotone; preservation : Preservation }.
Record strictly_lawful : Prop := Strictly { is_lawful : lawful; strictness : Strictness }.

(** * What follows *)
Lemma visit_fuel : Progress -> forall n m q, left S q <= n -> left S q <= m -> visit n q = visit m q.
Proof.
  intros P. assert (End : forall q, left S q = 0 -> stands S q = None).
  { intros q Z. destruct (stands S q) as [h|] eqn:E; [|reflexivity]. destruct (P q h) as [_ L]. specialize (L h E (le_n _)). lia. }
  induction n as [|n IH]; intros [|m] q N M; [reflexivity| | |].
  - cbn [visit]. rewrite End by lia. reflexivity.
  - cbn [visit]. rewrite End by lia. reflexivity.
  - cbn [visit]. destruct (stands S q) as [h|] eqn:E; [|reflexivity]. destruct (P q h) as [_ L]. specialize (L h E (le_n _)).
    f_equal. apply IH; lia.
Qed.

Lemma trace_ended : Progress -> forall q, stands S q = None -> trace q = [].
Proof. intros P q E. unfold trace. destruct (left S q); cbn; [|rewrite E]; reflexivity. Qed.

Lemma trace_step : Progress -> forall q h, stands S q = Some h ->
  trace q = (if snd h then [(fst h, value S q)] else []) ++ trace (skip S q h).
Proof.
  intros P q h E. unfold trace. destruct (P q h) as [_ L]. specialize (L h E (le_n _)).
  destruct (left S q) as [|n]; [lia|]. cbn [visit]. rewrite E. f_equal. apply (visit_fuel P); lia.
Qed.

Lemma at_index_app j es fs : at_index j (es ++ fs) = at_index j es ++ at_index j fs.
Proof. unfold at_index. rewrite filter_app, map_app. reflexivity. Qed.

Lemma emits_ended : Progress -> forall q j, stands S q = None -> emits q j = [].
Proof. intros P q j E. unfold emits. rewrite trace_ended by assumption. reflexivity. Qed.

Lemma emits_step : Progress -> forall q h j, stands S q = Some h ->
  emits q j = (if snd h && (fst h =? j) then [value S q] else []) ++ emits (skip S q h) j.
Proof.
  intros P q h j E. unfold emits. rewrite (trace_step P q h E), at_index_app. f_equal.
  destruct (snd h); [|reflexivity]. unfold at_index. cbn. destruct (fst h =? j); reflexivity.
Qed.

(** Induction on what is left. *)
Lemma advance_induction (P : state S -> Prop) : Progress ->
  (forall q, (forall h, stands S q = Some h -> P (skip S q h)) -> P q) -> forall q, P q.
Proof.
  intros Pr H. assert (G : forall n q, left S q <= n -> P q).
  { induction n as [|n IH]; intros q L; apply H; intros h E; destruct (Pr q h) as [_ D]; specialize (D h E (le_n _)); [lia|].
    apply IH. lia. }
  intros q. apply (G (left S q)), le_n.
Qed.

(** Nothing is emitted before the index where a stream stands. *)
Lemma nothing_before : Progress -> Monotone -> forall q j h, stands S q = Some h -> j < fst h -> emits q j = [].
Proof.
  intros P M q. pattern q. apply (advance_induction _ P). clear q. intros q H j h E J. rewrite (emits_step P q h j E).
  replace (fst h =? j) with false by (symmetry; apply Nat.eqb_neq; lia). rewrite andb_false_r. cbn.
  specialize (M q h). rewrite E in M. destruct (stands S (skip S q h)) as [h'|] eqn:E'.
  - apply (H h E j h' E'). lia.
  - apply emits_ended; assumption.
Qed.

(** What has ended stays so. *)
Lemma ended_stays : Monotone -> forall q p, stands S q = None -> stands S (skip S q p) = None.
Proof. intros M q p E. specialize (M q p). rewrite E in M. destruct (stands S (skip S q p)); [destruct M|reflexivity]. Qed.

(** A ready state emits, and it is the only one at its index. *)
Lemma emits_ready : strictly_lawful -> forall q i p, stands S q = Some (i, true) -> key (i, true) <= key p ->
  emits q i = [value S q] /\ emits (skip S q p) i = [].
Proof.
  intros [[P M _] St] q i p E K.
  assert (G : forall p, key (i, true) <= key p -> emits (skip S q p) i = []).
  { intros r R. destruct (stands S (skip S q r)) as [h'|] eqn:E'; [|apply emits_ended; assumption].
    apply (nothing_before P M _ _ _ E'). exact (St q r i h' E R E'). }
  split; [|apply G, K]. rewrite (emits_step P q _ i E). cbn [fst snd]. rewrite Nat.eqb_refl, G by apply le_n. reflexivity.
Qed.

(** Each index is emitted once. *)
Theorem emits_once : strictly_lawful -> forall q j, emits q j = [] \/ exists x, emits q j = [x].
Proof.
  intros L. pose proof L as [[P M Pr] St]. intros q. pattern q. apply (advance_induction _ P). clear q. intros q H j.
  destruct (stands S q) as [[i r]|] eqn:E; [|left; apply emits_ended; assumption].
  destruct r; [destruct (Nat.eq_dec i j) as [->|N]|].
  - right. exists (value S q). apply (emits_ready L q j (j, true) E). apply le_n.
  - rewrite (emits_step P q _ j E). cbn [fst snd]. rewrite (proj2 (Nat.eqb_neq i j) N). apply (H _ eq_refl).
  - rewrite (emits_step P q _ j E). cbn. apply (H _ eq_refl).
Qed.
End Streams.
