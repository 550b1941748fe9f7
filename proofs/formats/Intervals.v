(** Intervals of coordinates: the runs of a row, and where a coordinate is in a list of intervals that are apart. *)
Require Import Arith List Bool Lia Sorted.
Require Export Atl.formats.Search.
Import ListNotations.

(** * The runs of a row

    [joined c] says that [c] and the coordinate after it are in one run, and [taken c] that the run of [c] is listed. *)
Section Runs.
Context (N : nat) (joined taken : nat -> bool).
Hypothesis one_kind : forall c, joined c = true -> taken (S c) = taken c.

(** The first coordinate of the run of a coordinate. *)
Fixpoint first_of (c : nat) : nat := match c with 0 => 0 | S d => if joined d then first_of d else c end.
Definition last_of (c : nat) : bool := (S c =? N) || negb (joined c).
Definition runs : list range := map (fun e => (first_of e, S e)) (filter (fun e => taken e && last_of e) (seq 0 N)).

Lemma first_of_below c : first_of c <= c.
Proof. induction c as [|c IH]; cbn; [lia|]. destruct (joined c); lia. Qed.

Lemma first_of_joined c d : first_of c <= d < c -> joined d = true.
Proof.
  induction c as [|c IH]; cbn; [lia|]. destruct (joined c) eqn:J; [|lia]. intros H.
  destruct (Nat.eq_dec d c) as [->|]; [exact J|apply IH; lia].
Qed.

Lemma first_of_begins c d : first_of c = S d -> joined d = false.
Proof.
  induction c as [|c IH]; cbn; [discriminate|]. destruct (joined c) eqn:J; [exact IH|]. intros E. injection E as <-. exact J.
Qed.

Lemma first_of_after c d : d < c -> joined d = false -> d < first_of c.
Proof.
  intros H J. induction H as [|c H IH]; cbn; [rewrite J; lia|]. destruct (joined c); lia.
Qed.

Lemma runs_in a : In a runs <-> exists e, e < N /\ taken e = true /\ last_of e = true /\ a = (first_of e, S e).
Proof.
  unfold runs. rewrite in_map_iff. setoid_rewrite filter_In. setoid_rewrite in_seq. setoid_rewrite andb_true_iff.
  split; intros (e & H); exists e; intuition (auto; lia).
Qed.

Definition apart (a b : range) : Prop := snd a <= fst b.
Definition proper (a : range) : Prop := fst a < snd a <= N.

Lemma runs_apart : StronglySorted apart runs /\ Forall proper runs.
Proof.
  split; [|apply Forall_forall; intros a I; apply runs_in in I as (e & E & _ & _ & ->); pose proof (first_of_below e);
    unfold proper; cbn; lia].
  unfold runs. apply (sorted_map lt); [|apply filter_sorted]. intros e e' I I' H. unfold apart. cbn.
  apply filter_In in I as [_ I], I' as [I' _]. apply in_seq in I'. apply andb_true_iff in I as [_ L]. unfold last_of in L.
  apply orb_true_iff in L as [L|L]; [apply Nat.eqb_eq in L; lia|]. apply negb_true_iff in L. exact (first_of_after _ _ H L).
Qed.

(** Along a run, each coordinate is joined with the next, and listed. *)
Lemma runs_joined a c d : In a runs -> within a c -> c <= d -> S d < snd a -> joined d = true.
Proof.
  intros I W. apply runs_in in I as (e & _ & _ & _ & ->). unfold within in W. cbn in *. intros. apply (first_of_joined e). lia.
Qed.

Lemma runs_taken a c : In a runs -> within a c -> taken c = true.
Proof using one_kind.
  intros I W. pose proof I as J. apply runs_in in J as (e & E & T & _ & ->). unfold within in W. cbn in W.
  assert (G : forall n, n <= e - c -> taken (e - n) = true).
  { induction n as [|n IH]; intros H; [rewrite Nat.sub_0_r; exact T|].
    rewrite <- one_kind; [replace (S (e - S n)) with (e - n) by lia; apply IH; lia|].
    apply (runs_joined _ c _ I); unfold within; cbn; lia. }
  replace c with (e - (e - c)) by lia. apply G. lia.
Qed.

Lemma runs_cover c : c < N -> taken c = true -> exists a, In a runs /\ within a c.
Proof using one_kind.
  remember (N - S c) as n eqn:D. revert c D. induction n as [|n IH]; intros c D C T.
  1: exists (first_of c, S c).
  2: destruct (joined c) eqn:J; [destruct (IH (S c)) as (a & I & W); [lia|lia|rewrite one_kind; assumption|]; exists a|exists (first_of c, S c)].
  1, 3: pose proof (first_of_below c); unfold within; cbn; (split; [|lia]); apply runs_in; exists c; unfold last_of.
  - rewrite (proj2 (Nat.eqb_eq (S c) N)) by lia. auto.
  - rewrite J, orb_true_r. auto.
  - split; [exact I|]. pose proof I as K. apply runs_in in K as (e & _ & _ & _ & ->). unfold within in *. cbn in *.
    pose proof (first_of_begins e c). assert (first_of e <> S c) by (intros E; rewrite H in J; [discriminate|exact E]). lia.
Qed.
End Runs.

(** * Lists of intervals *)
Definition has (c : nat) (a : range) : bool := (fst a <=? c) && (c <? snd a).

Lemma has_iff c a : has c a = true <-> within a c.
Proof. unfold has, within. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt. tauto. Qed.

Lemma sorted_at {E} (before : E -> E -> Prop) es q q' e e' : StronglySorted before es -> q < q' ->
  nth_error es q = Some e -> nth_error es q' = Some e' -> before e e'.
Proof.
  intros So. revert q q'. induction So as [|x es So IH F]; intros [|q] [|q'] L I J; try discriminate; try lia; cbn in *.
  - injection I as ->. exact (proj1 (Forall_forall _ _) F _ (nth_error_In _ _ J)).
  - apply (IH q q'); [lia|exact I|exact J].
Qed.

(** A coordinate is in one interval only. *)
Lemma in_one r c q q' a a' : StronglySorted apart r -> nth_error r q = Some a -> nth_error r q' = Some a' ->
  within a c -> within a' c -> q = q'.
Proof.
  intros So I J W W'. unfold within in *. destruct (Nat.lt_trichotomy q q') as [L|[L|L]]; [|exact L|].
  - pose proof (sorted_at _ _ _ _ _ _ So L I J). unfold apart in *. lia.
  - pose proof (sorted_at _ _ _ _ _ _ So L J I). unfold apart in *. lia.
Qed.

(** * What is asked of slices *)
Definition equal (t : list nat) (c : nat) : bool := nth c t 0 =? nth (S c) t 0.
Definition present (t : list nat) (c : nat) : bool := negb (nth c t 0 =? 0).

(** Where neighbours are joined only if they are equal, all slices of a run are. *)
Lemma equal_along t taken a c d : In a (runs (length t) (equal t) taken) -> within a c -> within a d -> c <= d ->
  nth c t 0 = nth d t 0.
Proof.
  intros I C D H. induction H as [|d H IH]; [reflexivity|]. unfold within in *. rewrite IH by lia.
  apply Nat.eqb_eq, (runs_joined _ _ _ a c _ I); unfold within; lia.
Qed.
