(** Searches: a loop of which only the iterations with one key do something, run by looking for them.

    [find] is how code looks: near places one after the other, then places farther and farther on, then halves. Loops over
    sequences that are walked together go on where the last search stopped: [walk]. Both do what the plain loops do, iteration by
    iteration, whatever an iteration does. *)
Require Import ZArith Arith List Bool Lia.
Import ListNotations.

(** * Where to look *)
Section Find.
Context (below : nat -> bool).

Fixpoint near (fuel place stop : nat) : nat :=
  match fuel with
  | 0 => place
  | S fuel => if (place <? stop) && below place then near fuel (S place) stop else place
  end.
Fixpoint far (fuel low place step stop : nat) : nat * nat :=
  match fuel with
  | 0 => (low, Nat.min place stop)
  | S fuel => if (place <? stop) && below place then far fuel (S place) (place + step) (2 * step) stop else (low, Nat.min place stop)
  end.
Fixpoint between (fuel low high : nat) : nat :=
  match fuel with
  | 0 => low
  | S fuel => if low <? high then
      let middle := low + (high - low) / 2 in if below middle then between fuel (S middle) high else between fuel low middle
      else low
  end.
Definition find (close from stop : nat) : nat :=
  let stop_near := if stop - from <? close then stop else from + close in
  let place := near (stop_near - from) from stop_near in
  if place <? stop_near then place
  else let (low, high) := far (stop - place) place place 1 stop in between (high - low) low high.

(** The first place that is not below, or the end. *)
Definition first (from stop place : nat) : Prop :=
  from <= place <= stop /\ (forall q, from <= q < place -> below q = true) /\ (place < stop -> below place = false).

Lemma first_only from stop p q : first from stop p -> first from stop q -> p = q.
Proof.
  intros (P & Pb & Pn) (Q & Qb & Qn). destruct (Nat.lt_trichotomy p q) as [H|[H|H]]; [|exact H|].
  - rewrite (Qb p) in Pn by lia. discriminate Pn. lia.
  - rewrite (Pb q) in Qn by lia. discriminate Qn. lia.
Qed.

Lemma near_right fuel place stop : place <= stop -> fuel = stop - place -> first place stop (near fuel place stop).
Proof.
  revert place. induction fuel as [|fuel IH]; intros place P F; cbn [near].
  - split; [lia|split; [|lia]]. intros q Q. lia.
  - destruct (Nat.ltb_spec place stop) as [L|L]; [|lia]. destruct (below place) eqn:B; cbn [andb].
    + destruct (IH (S place)) as (H1 & H2 & H3); [lia|lia|]. split; [lia|split; [|exact H3]]. intros q Q.
      destruct (Nat.eq_dec q place) as [->|N]; [exact B|apply H2; lia].
    + split; [lia|split; [|intros _; exact B]]. intros q Q. lia.
Qed.

Context (start : nat) (stop : nat).
Hypothesis falls : forall p q, start <= p <= q -> q < stop -> below q = true -> below p = true.

Lemma far_right fuel low place step : start <= low <= place -> low <= stop -> stop - place <= fuel -> 0 < step ->
  (forall q, start <= q < low -> below q = true) ->
  let (l, h) := far fuel low place step stop in
  start <= l <= h /\ h <= stop /\ (forall q, start <= q < l -> below q = true) /\ (h < stop -> below h = false).
Proof using falls.
  revert low place step. induction fuel as [|fuel IH]; intros low place step L S0 F St B; cbn [far].
  - repeat split; try lia. exact B.
  - destruct (Nat.ltb_spec place stop) as [P|P]; cbn [andb].
    + destruct (below place) eqn:E.
      * apply IH; [lia|lia|lia|lia|]. intros q Q. destruct (Nat.eq_dec q place) as [->|N]; [exact E|].
        apply (falls q place); [lia|exact P|exact E].
      * rewrite Nat.min_l by lia. repeat split; try lia; [exact B|]. intros _. exact E.
    + rewrite Nat.min_r by lia. repeat split; try lia. exact B.
Qed.

Lemma between_right fuel low high : start <= low <= high -> high <= stop -> high - low <= fuel ->
  (forall q, start <= q < low -> below q = true) -> (high < stop -> below high = false) ->
  first start stop (between fuel low high).
Proof using falls.
  revert low high. induction fuel as [|fuel IH]; intros low high L H F B N; cbn [between].
  - replace high with low in N by lia. split; [lia|split; [exact B|exact N]].
  - destruct (Nat.ltb_spec low high) as [P|P].
    + pose proof (Nat.div_lt (high - low) 2). set (m := low + (high - low) / 2). assert (M : low <= m < high) by (unfold m; lia).
      destruct (below m) eqn:E; apply IH; try lia; auto. intros q Q.
      destruct (Nat.eq_dec q m) as [->|D]; [exact E|]. apply (falls q m); [lia|lia|exact E].
    + replace high with low in N by lia. split; [lia|split; [exact B|exact N]].
Qed.

Theorem find_right close : start <= stop -> first start stop (find close start stop).
Proof using falls.
  intros S0. unfold find. set (n := if stop - start <? close then stop else start + close).
  assert (Nn : start <= n <= stop) by (unfold n; destruct (Nat.ltb_spec (stop - start) close); lia).
  destruct (near_right (n - start) start n) as (P & B & E); [lia|reflexivity|]. set (place := near (n - start) start n) in *.
  destruct (Nat.ltb_spec place n) as [L|L]; [split; [lia|split; [exact B|intros _; apply E, L]]|].
  pose proof (far_right (stop - place) place place 1) as F. destruct (far (stop - place) place place 1 stop) as [l h].
  destruct F as (F1 & F2 & F3 & F4); try lia; auto. apply between_right; auto.
Qed.
End Find.

(** * Loops *)
Section Loops.
Context {S : Type}.
Implicit Types (step : nat -> S -> option S) (s : S).

(** The iterations [lo], .., of which there are [n]; one that traps ends the loop. *)
Fixpoint loop (lo n : nat) step s : option S :=
  match n with 0 => Some s | Datatypes.S n => match step lo s with Some s => loop (Datatypes.S lo) n step s | None => None end end.

Lemma loop_app lo n m step s :
  loop lo (n + m) step s = match loop lo n step s with Some s => loop (lo + n) m step s | None => None end.
Proof.
  revert lo s. induction n as [|n IH]; intros lo s; cbn.
  - rewrite Nat.add_0_r. reflexivity.
  - destruct (step lo s) as [s'|]; [|reflexivity]. rewrite IH. replace (Datatypes.S lo + n) with (lo + Datatypes.S n) by lia. reflexivity.
Qed.

Lemma loop_idle lo n step s : (forall q s, lo <= q < lo + n -> step q s = Some s) -> loop lo n step s = Some s.
Proof.
  revert lo s. induction n as [|n IH]; intros lo s H; cbn; [reflexivity|]. rewrite H by lia. apply IH. intros q s' Q. apply H. lia.
Qed.

Lemma loop_ext lo n step step' s : (forall q s, lo <= q < lo + n -> step q s = step' q s) -> loop lo n step s = loop lo n step' s.
Proof.
  revert lo s. induction n as [|n IH]; intros lo s H; cbn; [reflexivity|]. rewrite H by lia. destruct (step' lo s); [|reflexivity].
  apply IH. intros q s' Q. apply H. lia.
Qed.

Context (key : nat -> Z) (close : nat).
Definition less (sought : Z) (q : nat) : bool := (key q <? sought)%Z.

(** Keys increase, and what is done is done at one key: the loop is the iteration that is found. *)
Definition search (from hi : nat) (sought : Z) step s : option S :=
  let place := find (less sought) close from hi in if place <? hi then step place s else Some s.

Definition increases (lo hi : nat) : Prop := forall p q, lo <= p < q -> q < hi -> (key p < key q)%Z.
Definition only (lo hi : nat) (sought : Z) step : Prop := forall q s, lo <= q < hi -> key q <> sought -> step q s = Some s.

Lemma less_falls lo hi sought p q : increases lo hi -> lo <= p <= q -> q < hi -> less sought q = true -> less sought p = true.
Proof.
  unfold less. intros K P Q. rewrite !Z.ltb_lt. intros L. destruct (Nat.eq_dec p q) as [->|N]; [exact L|].
  specialize (K p q). lia.
Qed.

(** A search may begin at any place before which all keys are below. *)
Theorem search_right lo hi from sought step s : lo <= from <= hi -> increases lo hi -> only lo hi sought step ->
  (forall q, lo <= q < from -> (key q < sought)%Z) ->
  search from hi sought step s = loop lo (hi - lo) step s.
Proof.
  intros F K O B. unfold search.
  destruct (find_right (less sought) from hi) with (close := close) as (P & Pb & Pn); [|lia|].
  { intros p q Q. apply (less_falls lo hi); [exact K|lia]. }
  set (place := find _ close from hi) in *.
  replace (hi - lo) with ((place - lo) + (hi - place)) by lia. rewrite loop_app, loop_idle.
  - replace (lo + (place - lo)) with place by lia. destruct (Nat.ltb_spec place hi) as [L|L].
    + replace (hi - place) with (Datatypes.S (hi - place - 1)) by lia. cbn [loop]. destruct (step place s) as [s'|]; [|reflexivity].
      symmetry. apply loop_idle. intros q s0 Q. apply O; [lia|]. specialize (Pn L). unfold less in Pn. apply Z.ltb_ge in Pn.
      specialize (K place q). lia.
    + replace (hi - place) with 0 by lia. reflexivity.
  - intros q s0 Q. apply O; [lia|]. destruct (Nat.lt_ge_cases q from) as [H|H]; [specialize (B q); lia|].
    specialize (Pb q ltac:(lia)). unfold less in Pb. apply Z.ltb_lt in Pb. lia.
Qed.

(** * Sequences that are walked together *)

(** For each of [n] places of one sequence from [p] on, the search in the other goes on where the last one stopped. *)
Fixpoint walk (p n : nat) (from hi : nat) (sought : nat -> Z) (step : nat -> nat -> S -> option S) s : option S :=
  match n with
  | 0 => Some s
  | Datatypes.S n =>
      match search from hi (sought p) (step p) s with
      | Some s => walk (Datatypes.S p) n (find (less (sought p)) close from hi) hi sought step s
      | None => None
      end
  end.

Theorem walk_right lo hi p n from (sought : nat -> Z) (step : nat -> nat -> S -> option S) s :
  lo <= from <= hi -> increases lo hi -> (forall p', p <= p' < p + n -> only lo hi (sought p') (step p')) ->
  (forall p' p'', p <= p' <= p'' -> p'' < p + n -> (sought p' <= sought p'')%Z) ->
  (forall q, lo <= q < from -> (key q < sought p)%Z) ->
  walk p n from hi sought step s = loop p n (fun p => loop lo (hi - lo) (step p)) s.
Proof.
  intros F K. revert p from s F. induction n as [|n IH]; intros p from s F O M B; cbn [walk loop]; [reflexivity|].
  rewrite (search_right lo hi) by (auto; apply O; lia). destruct (loop lo (hi - lo) (step p) s) as [s'|]; [|reflexivity].
  destruct (find_right (less (sought p)) from hi) with (close := close) as (P & Pb & _); [|lia|].
  { intros q q' Q. apply (less_falls lo hi); [exact K|lia]. }
  destruct n as [|n]; [reflexivity|]. apply IH.
  - lia.
  - intros p' H. apply O. lia.
  - intros p' p'' H H'. apply M; lia.
  - intros q Q. specialize (M p (Datatypes.S p)). destruct (Nat.lt_ge_cases q from) as [H|H]; [specialize (B q); lia|].
    specialize (Pb q ltac:(lia)). unfold less in Pb. apply Z.ltb_lt in Pb. lia.
Qed.

(** The same sequences, both advanced by one comparison at a time. *)
Fixpoint merge (fuel p n q hi : nat) (sought : nat -> Z) (step : nat -> nat -> S -> option S) s : option S :=
  match fuel with
  | 0 => Some s
  | Datatypes.S fuel =>
      if (p <? n) && (q <? hi) then
        if (sought p <? key q)%Z then merge fuel (Datatypes.S p) n q hi sought step s
        else if (key q <? sought p)%Z then merge fuel p n (Datatypes.S q) hi sought step s
        else match step p q s with
             | Some s => merge fuel (Datatypes.S p) n (Datatypes.S q) hi sought step s
             | None => None
             end
      else Some s
  end.

Theorem merge_right lo hi n (sought : nat -> Z) (step : nat -> nat -> S -> option S) : increases lo hi ->
  (forall p p', p < p' -> p' < n -> (sought p < sought p')%Z) ->
  forall fuel p q s, p <= n -> lo <= q <= hi -> n - p + (hi - q) <= fuel ->
  (forall p', p <= p' < n -> only lo hi (sought p') (step p')) ->
  (forall q' p', lo <= q' < q -> p <= p' < n -> (key q' < sought p')%Z) ->
  merge fuel p n q hi sought step s = loop p (n - p) (fun p => loop lo (hi - lo) (step p)) s.
Proof.
  intros K M. induction fuel as [|fuel IH]; intros p q s P Q F O B; cbn [merge].
  - replace (n - p) with 0 by lia. reflexivity.
  - destruct (Nat.ltb_spec p n) as [Pn|Pn]; cbn [andb].
    2: { replace (n - p) with 0 by lia. reflexivity. }
    destruct (Nat.ltb_spec q hi) as [Qh|Qh].
    2: { symmetry. apply loop_idle. intros p' s' P'. apply loop_idle. intros q' s'' Q'. apply O; [lia|lia|].
         specialize (B q' p'). lia. }
    destruct (Z.ltb_spec (sought p) (key q)) as [L|L].
    + rewrite IH by first [lia | intros p' P'; apply O; lia | intros q' p' Q' P'; apply B; lia].
      replace (n - p) with (Datatypes.S (n - Datatypes.S p)) by lia. cbn [loop]. rewrite (loop_idle lo (hi - lo) (step p) s); [reflexivity|].
      intros q' s' Q'. apply O; [lia|lia|]. destruct (Nat.lt_ge_cases q' q) as [H|H]; [specialize (B q' p); lia|].
      destruct (Nat.eq_dec q' q) as [->|N]; [lia|]. specialize (K q q'). lia.
    + destruct (Z.ltb_spec (key q) (sought p)) as [L'|L'].
      * apply IH; [lia|lia|lia|exact O|]. intros q' p' Q' P'. destruct (Nat.eq_dec q' q) as [->|N]; [|apply B; lia].
        destruct (Nat.eq_dec p' p) as [->|N]; [exact L'|]. specialize (M p p'). lia.
      * assert (E : key q = sought p) by lia.
        replace (n - p) with (Datatypes.S (n - Datatypes.S p)) by lia. cbn [loop].
        rewrite <- (search_right lo hi lo (sought p)) by (auto; try lia; apply O; lia).
        unfold search. replace (find (less (sought p)) close lo hi) with q.
        -- rewrite (proj2 (Nat.ltb_lt _ _) Qh). destruct (step p q s) as [s'|]; [|reflexivity].
           apply IH; [lia|lia|lia|intros p' P'; apply O; lia|]. intros q' p' Q' P'. specialize (M p p').
           destruct (Nat.eq_dec q' q) as [->|N]; [lia|]. specialize (B q' p). lia.
        -- apply (first_only (less (sought p)) lo hi).
           ++ split; [lia|split; [|intros _; unfold less; apply Z.ltb_ge; lia]]. intros q' Q'. unfold less. apply Z.ltb_lt.
              specialize (B q' p). lia.
           ++ apply find_right; [|lia]. intros p' q' Q'. apply (less_falls lo hi); [exact K|lia].
Qed.
End Loops.
