(** [sum]: where either operand emits.

    Positions are compared, not indices: at one index, an operand that is not ready comes first, and one that is waits for it. *)
Require Import Arith List Bool Lia.
Require Export Atl.streams.Product.
Import ListNotations.

Section Sum.
Context {W : Type} (A B : stream W) (f : W -> W -> W).

(** Does the first come no later? What has ended comes after all. *)
Definition no_later (h g : option position) : bool :=
  match h, g with Some h, Some g => key h <=? key g | Some _, None => true | None, Some _ => false | None, None => true end.

Definition sum : stream W := {|
  state := state A * state B;
  stands q := let h := stands A (fst q) in let g := stands B (snd q) in if no_later h g then h else g;
  value q := let h := stands A (fst q) in let g := stands B (snd q) in
    if no_later h g then (if no_later g h then f (value A (fst q)) (value B (snd q)) else value A (fst q)) else value B (snd q);
  skip q p := (skip A (fst q) p, skip B (snd q) p);
  left q := left A (fst q) + left B (snd q)
|}.

Hypothesis LA : strictly_lawful A.
Hypothesis LB : strictly_lawful B.

Lemma key_inj (p p' : position) : key p = key p' -> p = p'.
Proof. destruct p as [i [|]], p' as [j [|]]; unfold key; cbn; intros; try (f_equal; lia); lia. Qed.

(** It stands where one operand does, and the other is there or later. *)
Lemma stands_sum a b h : stands sum (a, b) = Some h ->
  (stands A a = Some h \/ stands B b = Some h) /\
  (forall g, stands A a = Some g -> key h <= key g) /\ (forall g, stands B b = Some g -> key h <= key g).
Proof.
  cbn [sum stands fst snd]. unfold no_later.
  destruct (stands A a) as [g|], (stands B b) as [g'|]; [|intros E; injection E as <-..|discriminate].
  - destruct (Nat.leb_spec (key g) (key g')); intros E; injection E as <-; repeat split; auto; intros ? E; injection E as <-; lia.
  - repeat split; auto; [intros ? E; injection E as <-; lia|discriminate].
  - repeat split; auto; [discriminate|intros ? E; injection E as <-; lia].
Qed.

Lemma sum_ended a b : stands sum (a, b) = None -> stands A a = None /\ stands B b = None.
Proof.
  cbn [sum stands fst snd]. unfold no_later. destruct (stands A a), (stands B b); auto; try discriminate.
  destruct (key p <=? key p0); discriminate.
Qed.

Lemma sum_progress : Progress sum.
Proof using LA LB.
  destruct LA as [[PA _ _] _], LB as [[PB _ _] _]. intros [a b] p. cbn [sum left skip fst snd].
  destruct (PA a p) as [La Da], (PB b p) as [Lb Db]. split; [lia|]. intros h E K.
  destruct (stands_sum _ _ _ E) as ([Ea|Eb] & _); [specialize (Da h Ea K)|specialize (Db h Eb K)]; lia.
Qed.

Lemma sum_monotone : Monotone sum.
Proof using LA LB.
  destruct LA as [[_ MA _] _], LB as [[_ MB _] _]. intros [a b] p. destruct (stands sum (a, b)) as [h|] eqn:E.
  - destruct (stands sum (skip sum (a, b) p)) as [h'|] eqn:E'; [|exact I].
    destruct (stands_sum _ _ _ E) as (_ & Ka & Kb). destruct (stands_sum _ _ _ E') as ([Ea'|Eb'] & _).
    + pose proof (MA a p) as M. cbn [fst snd] in Ea'. rewrite Ea' in M. destruct (stands A a) as [g|]; [|destruct M].
      specialize (Ka g eq_refl). unfold key in Ka. destruct (snd h), (snd g); lia.
    + pose proof (MB b p) as M. cbn [fst snd] in Eb'. rewrite Eb' in M. destruct (stands B b) as [g|]; [|destruct M].
      specialize (Kb g eq_refl). unfold key in Kb. destruct (snd h), (snd g); lia.
  - destruct (sum_ended _ _ E) as [Ea Eb]. cbn [sum stands skip fst snd].
    rewrite (ended_stays A MA a p Ea), (ended_stays B MB b p Eb). exact I.
Qed.

Lemma sum_skip_emits a b p j : needs p j ->
  either f (emits A (skip A a p) j) (emits B (skip B b p) j) = either f (emits A a j) (emits B b j).
Proof using LA LB.
  destruct LA as [[_ _ VA] _], LB as [[_ _ VB] _]. intros N. rewrite (VA a p j N), (VB b p j N). reflexivity.
Qed.

(** An operand that stands beyond an index emits nothing there, whatever it is asked for. *)
Lemma beyond {X} (S : stream X) q j p : lawful S -> (forall g, stands S q = Some g -> j < fst g) ->
  emits S q j = [] /\ emits S (skip S q p) j = [].
Proof.
  intros [P M _] H. split; (destruct (stands S q) as [g|] eqn:E;
    [specialize (H g eq_refl)|]).
  - exact (nothing_before S P M q j g E H).
  - exact (emits_ended S P q j E).
  - pose proof (M q p) as Mq. rewrite E in Mq. destruct (stands S (skip S q p)) as [g'|] eqn:E'; [|exact (emits_ended S P _ j E')].
    apply (nothing_before S P M _ j g' E'). lia.
  - apply (emits_ended S P), (ended_stays S M), E.
Qed.

Lemma here_or_beyond {X} (S : stream X) q j : strictly_lawful S -> (forall g, stands S q = Some g -> key (j, true) <= key g) ->
  (stands S q = Some (j, true) /\ emits S q j = [value S q] /\ emits S (skip S q (j, true)) j = []) \/
  ((forall g, stands S q = Some g -> key (j, true) < key g) /\ emits S q j = [] /\ emits S (skip S q (j, true)) j = []).
Proof.
  intros L K. pose proof (is_lawful S L) as L'. destruct (stands S q) as [g|] eqn:E.
  - specialize (K g eq_refl). destruct (Nat.eq_dec (key g) (key (j, true))) as [G|G].
    + apply key_inj in G. subst g. left. split; [reflexivity|]. apply (emits_ready S L q j _ E), le_n.
    + right. split; [intros g' H; injection H as <-; lia|]. apply (beyond S q j _ L'). intros g' H. rewrite E in H. injection H as <-.
      unfold key in *. cbn [fst snd] in *. destruct (snd g); lia.
  - right. split; [discriminate|]. apply (beyond S q j _ L'). intros g H. rewrite E in H. discriminate.
Qed.

Theorem sum_emits : forall q j, emits sum q j = either f (emits A (fst q) j) (emits B (snd q) j).
Proof using LA LB.
  pose proof sum_progress as P. pose proof (is_lawful A LA) as LA'. pose proof (is_lawful B LB) as LB'.
  intros q. pattern q. apply (advance_induction _ _ P). clear q. intros [a b] IH j. cbn [fst snd].
  assert (Nil : forall xs : list W, either f xs [] = xs) by (intros [|]; reflexivity).
  destruct (stands sum (a, b)) as [h|] eqn:E.
  - rewrite (emits_step _ P _ _ j E), (IH _ eq_refl j). destruct (stands_sum _ _ _ E) as (_ & Ka & Kb). cbn [sum skip fst snd].
    destruct (Nat.lt_ge_cases j (fst h)) as [J|J].
    + replace (fst h =? j) with false by (symmetry; apply Nat.eqb_neq; lia). rewrite andb_false_r. cbn [app].
      destruct (beyond A a j h LA') as [-> ->]; [intros g Eg; specialize (Ka g Eg); unfold key in Ka; destruct (snd h), (snd g); lia|].
      destruct (beyond B b j h LB') as [-> ->]; [intros g Eg; specialize (Kb g Eg); unfold key in Kb; destruct (snd h), (snd g); lia|].
      reflexivity.
    + destruct (snd h && (fst h =? j)) eqn:R.
      * apply andb_true_iff in R as [R J']. apply Nat.eqb_eq in J'. destruct h as [i r]. cbn [fst snd] in *. subst r i. clear J.
        destruct (stands_sum _ _ _ E) as (One & _).
        destruct (here_or_beyond A a j LA Ka) as [(Ea & -> & ->)|(Fa & -> & ->)], (here_or_beyond B b j LB Kb) as [(Eb & -> & ->)|(Fb & -> & ->)].
        -- cbn [sum value either fst snd app]. rewrite Ea, Eb. cbn [no_later]. rewrite Nat.leb_refl. reflexivity.
        -- cbn [sum value either fst snd app]. rewrite Ea. destruct (stands B b) as [g|]; cbn [no_later]; [|reflexivity].
           specialize (Fb g eq_refl). rewrite (proj2 (Nat.leb_le _ _)), (proj2 (Nat.leb_gt _ _)) by lia. reflexivity.
        -- cbn [sum value either fst snd app]. rewrite Eb. destruct (stands A a) as [g|]; cbn [no_later]; [|reflexivity].
           specialize (Fa g eq_refl). rewrite (proj2 (Nat.leb_gt _ _)) by lia. reflexivity.
        -- exfalso. destruct One as [H|H]; [specialize (Fa _ H)|specialize (Fb _ H)]; lia.
      * cbn [app]. apply sum_skip_emits. destruct h as [i r]. unfold needs, key. cbn [fst snd] in *. destruct r; [|lia].
        apply Nat.eqb_neq in R. lia.
  - rewrite emits_ended by assumption. destruct (sum_ended _ _ E) as [Ea Eb].
    rewrite (emits_ended A (progress _ LA') _ _ Ea), (emits_ended B (progress _ LB') _ _ Eb). reflexivity.
Qed.

Theorem sum_lawful : strictly_lawful sum.
Proof using LA LB.
  split; [split; [exact sum_progress|exact sum_monotone|]|].
  - intros [a b] p j N. rewrite !sum_emits. apply sum_skip_emits, N.
  - destruct LA as [[PA MA _] SA], LB as [[PB MB _] SB]. intros [a b] p i h' E K E'.
    destruct (stands_sum _ _ _ E) as (_ & Ka & Kb). destruct (stands_sum _ _ _ E') as ([Ea'|Eb'] & _); cbn [sum skip fst snd] in *.
    + pose proof (MA a p) as M. rewrite Ea' in M. destruct (stands A a) as [[k r]|] eqn:Ea; [|destruct M].
      specialize (Ka _ eq_refl). unfold key in Ka. cbn [fst snd] in *. destruct (Nat.eq_dec k i) as [->|N]; [|destruct r; lia].
      destruct r; [|lia]. exact (SA a p i h' Ea K Ea').
    + pose proof (MB b p) as M. rewrite Eb' in M. destruct (stands B b) as [[k r]|] eqn:Eb; [|destruct M].
      specialize (Kb _ eq_refl). unfold key in Kb. cbn [fst snd] in *. destruct (Nat.eq_dec k i) as [->|N]; [|destruct r; lia].
      destruct r; [|lia]. exact (SB b p i h' Eb K Eb').
Qed.
End Sum.
