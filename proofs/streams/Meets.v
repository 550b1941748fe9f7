(** Meetings: of two increasing sequences the shorter one is gone over, and each of its keys is looked for in the other.

    [merge] in [Search.v] advances both by one comparison at a time. Here leaps go over the first sequence, or over the second, which turns
    the two loops around: the same iterations are done in the same order, for neither sequence has a key twice. *)
Require Import ZArith Arith List Bool Lia.
Require Export Atl.streams.Programs Atl.streams.Search.
Import ListNotations.
Open Scope nat_scope.

Section Meets.
Context {S : Type}.
Implicit Types (key sought : nat -> Z) (step : nat -> nat -> S -> option S) (s : S).

(** Over the places of the one, from [p] on; where a key is found in the other, both go on behind it. *)
Fixpoint leap key (p n from hi : nat) sought step s : option S :=
  match n with
  | 0 => Some s
  | Datatypes.S n =>
      if from <? hi then
        let place := find (less key (sought p)) 0 from hi in
        if (place <? hi) && (key place =? sought p)%Z then
          match step p place s with Some s => leap key (Datatypes.S p) n (Datatypes.S place) hi sought step s | None => None end
        else leap key (Datatypes.S p) n place hi sought step s
      else Some s
  end.

Theorem leap_right key lo hi sought step : increases key lo hi -> forall n p from s, lo <= from <= hi ->
  (forall p', p <= p' < p + n -> only key lo hi (sought p') (step p')) ->
  (forall p' p'', p <= p' < p'' -> p'' < p + n -> (sought p' < sought p'')%Z) ->
  (0 < n -> forall q, lo <= q < from -> (key q < sought p)%Z) ->
  leap key p n from hi sought step s = loop p n (fun p => loop lo (hi - lo) (step p)) s.
Proof.
  intros K. induction n as [|n IH]; intros p from s F O M B; cbn [leap]; [reflexivity|].
  destruct (Nat.ltb_spec from hi) as [H|H].
  - cbn [loop]. rewrite <- (search_right key 0 lo hi from (sought p)) by first [lia | exact K | apply O; lia | apply B; lia]. unfold search.
    destruct (find_right (less key (sought p)) from hi) with (close := 0) as (P & Pb & Pn); [|lia|].
    { intros q q' Q. apply (less_falls key lo hi); [exact K|lia]. }
    set (place := find _ 0 from hi) in *.
    assert (Next : forall from', from' <= place \/ from' = Datatypes.S place /\ key place = sought p -> 0 < n ->
      forall q, lo <= q < from' -> (key q < sought (Datatypes.S p))%Z).
    { intros from' E N q Q. specialize (M p (Datatypes.S p) ltac:(lia) ltac:(lia)). destruct (Nat.lt_ge_cases q from) as [T|T]; [specialize (B ltac:(lia) q); lia|].
      destruct (Nat.eq_dec q place) as [->|D]; [lia|]. specialize (Pb q ltac:(lia)). apply Z.ltb_lt in Pb. lia. }
    destruct (Nat.ltb_spec place hi) as [L|L]; cbn [andb].
    + destruct (Z.eqb_spec (key place) (sought p)) as [E|E].
      * destruct (step p place s) as [s'|]; [|reflexivity]. apply IH; [lia|intros; apply O; lia|intros; apply M; lia|apply Next; lia].
      * rewrite (O p ltac:(lia) place s ltac:(lia) E). apply IH; [lia|intros; apply O; lia|intros; apply M; lia|apply Next; lia].
    + apply IH; [lia|intros; apply O; lia|intros; apply M; lia|apply Next; lia].
  - symmetry. apply loop_idle. intros p' s' P. apply loop_idle. intros q s'' Q. apply O; [lia|lia|].
    specialize (B ltac:(lia) q ltac:(lia)). destruct (Nat.eq_dec p' p) as [->|D]; [lia|]. specialize (M p p'). lia.
Qed.

(** Which sequence is the first makes no difference to a merge. *)
Lemma merge_turned key sought step : forall fuel p n q hi s,
  merge key fuel p n q hi sought step s = merge sought fuel q hi p n key (fun q p => step p q) s.
Proof.
  induction fuel as [|fuel IH]; intros p n q hi s; cbn [merge]; [reflexivity|]. rewrite andb_comm.
  destruct ((q <? hi) && (p <? n)); [|reflexivity].
  destruct (Z.ltb_spec (sought p) (key q)), (Z.ltb_spec (key q) (sought p)); try lia; auto.
  destruct (step p q s); auto.
Qed.

Theorem loops_turned n hi key sought step s :
  (forall p p', p < p' -> p' < n -> (sought p < sought p')%Z) -> (forall q q', q < q' -> q' < hi -> (key q < key q')%Z) ->
  (forall p q s, p < n -> q < hi -> key q <> sought p -> step p q s = Some s) ->
  loop 0 n (fun p => loop 0 hi (step p)) s = loop 0 hi (fun q => loop 0 n (fun p => step p q)) s.
Proof.
  intros M K O. pose proof (merge_right key 0 0 hi n sought step) as R. pose proof (merge_right sought 0 0 n hi key (fun q p => step p q)) as T.
  rewrite !Nat.sub_0_r in *. specialize (R ltac:(intros a b ? ?; apply K; lia) M (n + hi) 0 0 s).
  specialize (T ltac:(intros a b ? ?; apply M; lia) K (n + hi) 0 0 s). rewrite !Nat.sub_0_r in *.
  rewrite <- R, <- T; try lia; [apply merge_turned| |].
  - intros q Q p s' P N. apply O; [lia|lia|]. auto.
  - intros p P q s' Q N. apply O; [lia|lia|exact N].
Qed.
End Meets.

(** * The same of programs *)
Section Programs.
Context {V : Type} (ints : arrays).
Notation run := (run (V := V) ints).
Open Scope Z_scope.

(** Both courses of a meeting: over the first sequence, and over the second. *)
Theorem meet_program lo hi lo' hi' l u l' u' key sought f h :
  number_of ints lo = Some l -> number_of ints hi = Some u ->
  number_of ints lo' = Some l' -> number_of ints hi' = Some u' ->
  (forall p, l <= p < u -> searched ints l' u' key (sought p) (f p)) ->
  (forall p q, l' <= p < q -> q < u' -> key p < key q) ->
  (forall p p', l <= p < p' -> p' < u -> sought p < sought p') ->
  let keys q := key (l' + Z.of_nat q) in
  let soughts p := sought (l + Z.of_nat p) in
  let step p q := run (f (l + Z.of_nat p) (l' + Z.of_nat q)) in
  run (For lo hi (fun p => For lo' hi' (f p))) h = leap keys 0 (Z.to_nat (u - l)) 0 (Z.to_nat (u' - l')) soughts step h /\
  run (For lo hi (fun p => For lo' hi' (f p))) h =
    leap soughts 0 (Z.to_nat (u' - l')) 0 (Z.to_nat (u - l)) keys (fun q p => step p q) h.
Proof.
  intros El Eu El' Eu' H K M keys soughts step.
  assert (Loops : run (For lo hi (fun p => For lo' hi' (f p))) h =
    loop 0 (Z.to_nat (u - l)) (fun p => loop 0 (Z.to_nat (u' - l')) (step p)) h).
  { cbn [Loops.run]. rewrite El, Eu, El', Eu'. cbn [bind]. rewrite iterate_loop. apply loop_ext. intros p s _. apply iterate_loop. }
  assert (O : forall p q s, (p < Z.to_nat (u - l))%nat -> (q < Z.to_nat (u' - l'))%nat -> keys q <> soughts p -> step p q s = Some s).
  { intros p q s P Q N. apply (proj2 (H (l + Z.of_nat p) ltac:(lia))); [lia|exact N]. }
  rewrite Loops. split; [|rewrite (loops_turned _ _ keys soughts)]; try (unfold keys, soughts; intros; (apply K || apply M); lia); try exact O.
  - rewrite (leap_right keys 0 (Z.to_nat (u' - l'))); [rewrite Nat.sub_0_r; reflexivity| |lia| | |lia].
    + intros p q P Q. apply K; lia.
    + intros p P q s Q N. apply O; [lia|lia|exact N].
    + intros p p' P P'. apply M; lia.
  - rewrite (leap_right soughts 0 (Z.to_nat (u - l))); [rewrite Nat.sub_0_r; reflexivity| |lia| | |lia].
    + intros p q P Q. apply M; lia.
    + intros q Q p s P N. apply O; [lia|lia|auto].
    + intros q q' Q Q'. apply K; lia.
Qed.
End Programs.
