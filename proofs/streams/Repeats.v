(** Searches where keys may repeat: a loop of which only the iterations with one key do something, and these follow each other.

    The first of them is found as in [Search.v], and then iterations are done until the key is another one. Along a loop around it, the next
    search begins behind the run that was found; so what is sought must strictly increase there. *)
Require Import ZArith Arith List Bool Lia.
Require Export Atl.streams.Programs Atl.streams.Search.
Import ListNotations.
Open Scope nat_scope.

Section Repeats.
Context {S : Type} (key : nat -> Z) (close : nat).
Implicit Types (step : nat -> S -> option S) (s : S).

(** From a place on, as long as keys are the one that is sought; it says where it stopped, too. *)
Fixpoint during (fuel place hi : nat) (sought : Z) step s : option (nat * S) :=
  match fuel with
  | 0 => Some (place, s)
  | Datatypes.S fuel =>
      if (place <? hi) && (key place =? sought)%Z then
        match step place s with Some s => during fuel (Datatypes.S place) hi sought step s | None => None end
      else Some (place, s)
  end.
Definition search_all (from hi : nat) (sought : Z) step s : option (nat * S) :=
  let place := find (less key sought) close from hi in during (hi - place) place hi sought step s.

Definition never_falls (lo hi : nat) : Prop := forall p q, lo <= p <= q -> q < hi -> (key p <= key q)%Z.

Lemma during_right lo hi sought step : never_falls lo hi -> only key lo hi sought step -> forall fuel place s,
  lo <= place <= hi -> fuel = hi - place -> (forall q, place <= q < hi -> (sought <= key q)%Z) ->
  option_map snd (during fuel place hi sought step s) = loop place fuel step s /\
  forall place' s', during fuel place hi sought step s = Some (place', s') ->
    place <= place' <= hi /\ forall q, place <= q < place' -> key q = sought.
Proof.
  intros K O. induction fuel as [|fuel IH]; intros place s P F B; cbn [during].
  - split; [reflexivity|]. intros place' s' E. injection E as <- _. split; [lia|]. intros q Q. lia.
  - rewrite (proj2 (Nat.ltb_lt place hi)) by lia. destruct (Z.eqb_spec (key place) sought) as [E|E]; cbn [andb loop].
    + destruct (step place s) as [s'|]; [|split; [reflexivity|discriminate]].
      destruct (IH (Datatypes.S place) s') as [R L]; [lia|lia|intros q Q; apply B; lia|]. split; [exact R|].
      intros place' s'' D. destruct (L _ _ D) as [H H']. split; [lia|]. intros q Q.
      destruct (Nat.eq_dec q place) as [->|]; [exact E|apply H'; lia].
    + assert (I : forall q s, place <= q < place + Datatypes.S fuel -> step q s = Some s).
      { intros q s' Q. apply O; [lia|]. specialize (K place q). specialize (B place). lia. }
      change (match step place s with Some s0 => loop (Datatypes.S place) fuel step s0 | None => None end)
        with (loop place (Datatypes.S fuel) step s).
      split; [symmetry; apply loop_idle, I|]. intros place' s' D. injection D as <- _. split; [lia|]. intros q Q. lia.
Qed.

(** The loop is the run that is found, and behind it there is nothing that was sought. *)
Theorem search_all_right lo hi from sought step s : lo <= from <= hi -> never_falls lo hi -> only key lo hi sought step ->
  (forall q, lo <= q < from -> (key q < sought)%Z) ->
  option_map snd (search_all from hi sought step s) = loop lo (hi - lo) step s /\
  forall place s', search_all from hi sought step s = Some (place, s') ->
    from <= place <= hi /\ forall q, lo <= q < place -> (key q <= sought)%Z.
Proof.
  intros F K O B. unfold search_all.
  destruct (find_right (less key sought) from hi) with (close := close) as (P & Pb & Pn); [|lia|].
  { unfold less. intros p q Q H. rewrite !Z.ltb_lt. specialize (K p q). lia. }
  set (first := find _ close from hi) in *.
  assert (Bf : forall q, lo <= q < first -> (key q < sought)%Z).
  { intros q Q. destruct (Nat.lt_ge_cases q from) as [H|H]; [apply B; lia|]. specialize (Pb q ltac:(lia)). apply Z.ltb_lt in Pb. exact Pb. }
  destruct (during_right lo hi sought step K O (hi - first) first s) as [R L]; [lia|reflexivity| |].
  { intros q Q. specialize (Pn ltac:(lia)). apply Z.ltb_ge in Pn. specialize (K first q). lia. }
  split.
  - rewrite R. replace (hi - lo) with ((first - lo) + (hi - first)) by lia. rewrite loop_app, (loop_idle lo (first - lo)).
    + replace (lo + (first - lo)) with first by lia. reflexivity.
    + intros q s0 Q. apply O; [lia|]. specialize (Bf q). lia.
  - intros place s' E. destruct (L _ _ E) as [H H']. split; [lia|]. intros q Q.
    destruct (Nat.lt_ge_cases q first) as [T|T]; [specialize (Bf q)|specialize (H' q)]; lia.
Qed.

(** For each of [n] places of one sequence from [p] on, the run of the other with its key; the next search begins behind it. *)
Fixpoint walk_all (p n from hi : nat) (sought : nat -> Z) (step : nat -> nat -> S -> option S) s : option S :=
  match n with
  | 0 => Some s
  | Datatypes.S n =>
      match search_all from hi (sought p) (step p) s with
      | Some (place, s) => walk_all (Datatypes.S p) n place hi sought step s
      | None => None
      end
  end.

Theorem walk_all_right lo hi (sought : nat -> Z) (step : nat -> nat -> S -> option S) : never_falls lo hi ->
  forall n p from s, lo <= from <= hi -> (forall p', p <= p' < p + n -> only key lo hi (sought p') (step p')) ->
  (forall p' p'', p <= p' < p'' -> p'' < p + n -> (sought p' < sought p'')%Z) ->
  (0 < n -> forall q, lo <= q < from -> (key q < sought p)%Z) ->
  walk_all p n from hi sought step s = loop p n (fun p => loop lo (hi - lo) (step p)) s.
Proof.
  intros K. induction n as [|n IH]; intros p from s F O M B; cbn [walk_all loop]; [reflexivity|].
  destruct (search_all_right lo hi from (sought p) (step p) s) as [R L]; [lia|exact K|apply O; lia|apply B; lia|].
  rewrite <- R. destruct (search_all from hi (sought p) (step p) s) as [[place s']|]; [|reflexivity]. cbn [option_map snd].
  destruct (L place s' eq_refl) as [H H']. apply IH.
  - lia.
  - intros p' P. apply O. lia.
  - intros p' p'' P P'. apply M; lia.
  - intros N q Q. specialize (M p (Datatypes.S p)). specialize (H' q). lia.
Qed.
End Repeats.

(** * The same of programs *)
Section Programs.
Context {V : Type} (ints : arrays).
Notation run := (run (V := V) ints).
Open Scope Z_scope.

(** As [searched], where keys may repeat. *)
Definition searched_all (lo hi : Z) (key : Z -> Z) (sought : Z) (f : Z -> statement V) : Prop :=
  (forall p q, lo <= p <= q -> q < hi -> key p <= key q) /\
  (forall q h, lo <= q < hi -> key q <> sought -> run (f q) h = Some h).

Theorem search_all_program lo hi l u key sought f h close : number_of ints lo = Some l -> number_of ints hi = Some u ->
  searched_all l u key sought f ->
  run (For lo hi f) h = option_map snd
    (search_all (fun q => key (l + Z.of_nat q)) close 0 (Z.to_nat (u - l)) sought (fun q => run (f (l + Z.of_nat q))) h).
Proof.
  intros El Eu [K O]. cbn [Loops.run]. rewrite El, Eu. cbn [bind]. rewrite iterate_loop.
  destruct (search_all_right (fun q => key (l + Z.of_nat q)) close 0 (Z.to_nat (u - l)) 0 sought (fun q => run (f (l + Z.of_nat q))) h)
    as [R _]; [lia| | |lia|rewrite R, Nat.sub_0_r; reflexivity].
  - intros p q P Q. apply K; lia.
  - intros q s Q N. apply O; [lia|exact N].
Qed.

(** Two sequences that are walked together, of which the second may repeat keys. *)
Theorem walk_all_program lo hi lo' hi' l u l' u' key sought f h close :
  number_of ints lo = Some l -> number_of ints hi = Some u ->
  number_of ints lo' = Some l' -> number_of ints hi' = Some u' ->
  (forall p, l <= p < u -> searched_all l' u' key (sought p) (f p)) ->
  (forall p p', l <= p < p' -> p' < u -> sought p < sought p') ->
  run (For lo hi (fun p => For lo' hi' (f p))) h =
    walk_all (fun q => key (l' + Z.of_nat q)) close 0 (Z.to_nat (u - l)) 0 (Z.to_nat (u' - l'))
      (fun p => sought (l + Z.of_nat p)) (fun p q => run (f (l + Z.of_nat p) (l' + Z.of_nat q))) h.
Proof.
  intros El Eu El' Eu' H M. cbn [Loops.run]. rewrite El, Eu, El', Eu'. cbn [bind]. rewrite iterate_loop.
  destruct (Z.le_gt_cases u l) as [Z0|Z0]; [replace (Z.to_nat (u - l)) with 0%nat by lia; reflexivity|].
  rewrite (walk_all_right _ close 0 (Z.to_nat (u' - l'))).
  - apply loop_ext. intros p s P. rewrite iterate_loop, Nat.sub_0_r. reflexivity.
  - intros p q P Q. apply (proj1 (H l ltac:(lia))); lia.
  - lia.
  - intros p P q s Q N. apply (proj2 (H (l + Z.of_nat p) ltac:(lia))); [lia|exact N].
  - intros p p' P P'. apply M; lia.
  - lia.
Qed.
End Programs.
