(** [map], [filter] and [contract]. *)
Require Import Arith List Bool Lia Sorted.
Require Export Atl.streams.Sum.
Import ListNotations.

(** * Map: other values *)
Section Map.
Context {U W : Type} (f : U -> W) (S : stream U).
Definition map_values : stream W :=
  {| state := state S; stands := stands S; value q := f (value S q); skip := skip S; left := left S |}.

Theorem map_emits q j : emits map_values q j = map f (emits S q j).
Proof.
  unfold emits, trace. cbn [left map_values]. generalize (left S q) as n. intros n. revert q.
  induction n as [|n IH]; intros q; [reflexivity|]. cbn [visit map_values stands]. destruct (stands S q) as [h|]; [|reflexivity].
  rewrite !at_index_app, map_app. change (skip map_values) with (skip S). rewrite <- IH. f_equal.
  destruct (snd h); [|reflexivity]. unfold at_index. cbn. destruct (fst h =? j); reflexivity.
Qed.

Theorem map_lawful : lawful S -> lawful map_values.
Proof.
  intros [P M V]. split; [exact P|exact M|]. intros q p j N. rewrite !map_emits. f_equal. exact (V q p j N).
Qed.
Theorem map_strictly_lawful : strictly_lawful S -> strictly_lawful map_values.
Proof. intros [L St]. split; [apply map_lawful, L|exact St]. Qed.
End Map.

(** * Filter: what satisfies a predicate of index and value

    In a state that is rejected, a request is at least for being done with it. *)
Section Filter.
Context {W : Type} (accept : nat -> W -> bool) (S : stream W).
Definition rejected (q : state S) (h : position) : bool := snd h && negb (accept (fst h) (value S q)).
Definition filtered : stream W := {|
  state := state S;
  stands q := match stands S q with Some h => Some (fst h, snd h && accept (fst h) (value S q)) | None => None end;
  value := value S;
  skip q p := match stands S q with Some h => skip S q (if rejected q h then later p h else p) | None => skip S q p end;
  left := left S
|}.
Hypothesis L : lawful S.

(** The requests differ only where the state is rejected. *)
Lemma filter_request q p h : stands S q = Some h ->
  (rejected q h = false /\ skip filtered q p = skip S q p) \/ (rejected q h = true /\ skip filtered q p = skip S q (later p h)).
Proof. intros E. cbn [filtered skip]. rewrite E. destruct (rejected q h); auto. Qed.

Lemma filter_stands q h' : stands filtered q = Some h' ->
  exists h, stands S q = Some h /\ h' = (fst h, snd h && accept (fst h) (value S q)).
Proof. cbn [filtered stands]. destruct (stands S q) as [h|]; [|discriminate]. intros E. injection E as <-. eauto. Qed.

(** Being done with a state is what it is for the operand. *)
Lemma filter_advance q h h' : stands S q = Some h -> h' = (fst h, snd h && accept (fst h) (value S q)) ->
  skip filtered q h' = skip S q h.
Proof.
  intros E ->. destruct h as [i r]. destruct (filter_request q (i, r && accept i (value S q)) _ E) as [[R H]|[R H]];
    cbn [fst snd] in *; rewrite H; f_equal; unfold rejected in R; cbn [fst snd] in R; destruct r, (accept i (value S q)); try discriminate; try reflexivity.
  unfold later, key. cbn [fst snd andb]. rewrite (proj2 (Nat.ltb_lt (2 * i + 0) (2 * i + 1))) by lia. reflexivity.
Qed.

Lemma filter_progress : Progress filtered.
Proof using L.
  destruct L as [P M V]. intros q p. cbn [filtered left].
  assert (Le : left S (skip filtered q p) <= left S q).
  { cbn [filtered skip]. destruct (stands S q); apply P. }
  split; [exact Le|]. intros h' E' K. destruct (filter_stands _ _ E') as (h & E & ->).
  destruct (filter_request q p h E) as [[R ->]|[R ->]]; apply (proj2 (P q _) h E); [|rewrite later_key; lia].
  unfold rejected, key in *. cbn [fst snd] in *. destruct (snd h), (accept (fst h) (value S q)); cbn in *; try discriminate; lia.
Qed.

Lemma filter_monotone : Monotone filtered.
Proof using L.
  destruct L as [P M V]. intros q p. destruct (stands filtered q) as [h|] eqn:E.
  - destruct (filter_stands _ _ E) as (g & Eg & ->). destruct (stands filtered (skip filtered q p)) as [h'|] eqn:E'; [|exact I].
    destruct (filter_stands _ _ E') as (g' & Eg' & ->). cbn [fst].
    destruct (filter_request q p g Eg) as [[_ Q]|[_ Q]]; rewrite Q in Eg'.
    + pose proof (M q p) as Mq. rewrite Eg, Eg' in Mq. exact Mq.
    + pose proof (M q (later p g)) as Mq. rewrite Eg, Eg' in Mq. exact Mq.
  - cbn [filtered stands] in E. destruct (stands S q) eqn:Eq; [discriminate|]. cbn [filtered stands skip]. rewrite Eq.
    rewrite (ended_stays S M q p Eq). exact I.
Qed.

Theorem filter_emits : forall q j, emits filtered q j = filter (accept j) (emits S q j).
Proof using L.
  pose proof filter_progress as P. intros q. pattern q. apply (advance_induction _ _ P). clear q. intros q IH j.
  destruct (stands S q) as [h|] eqn:E.
  - assert (E' : stands filtered q = Some (fst h, snd h && accept (fst h) (value S q))) by (cbn [filtered stands]; rewrite E; reflexivity).
    rewrite (emits_step filtered P q _ j E'), (IH _ E' j), (filter_advance q h _ E eq_refl), (emits_step S (progress _ L) q h j E).
    rewrite filter_app. f_equal. cbn [fst snd filtered value]. destruct (Nat.eqb_spec (fst h) j) as [<-|N]; rewrite ?andb_false_r, ?andb_true_r; [|reflexivity].
    destruct (snd h); cbn; [|reflexivity]. destruct (accept (fst h) (value S q)); reflexivity.
  - rewrite (emits_ended S (progress _ L) q j E). apply (emits_ended filtered P). cbn [filtered stands]. rewrite E. reflexivity.
Qed.

Theorem filter_lawful : lawful filtered.
Proof using L.
  split; [exact filter_progress|exact filter_monotone|]. destruct L as [P M V]. intros q p j N. rewrite !filter_emits.
  destruct (stands S q) as [h|] eqn:E; [|cbn [filtered skip]; rewrite E, (V q p j N); reflexivity].
  destruct (filter_request q p h E) as [[_ ->]|[R ->]]; [rewrite (V q p j N); reflexivity|].
  destruct (Nat.le_gt_cases (key (later p h)) (2 * j)) as [K|K]; [rewrite (V q _ j K); reflexivity|].
  assert (H : later p h = h) by (unfold later, needs in *; destruct (Nat.ltb_spec (key p) (key h)); [reflexivity|lia]).
  rewrite H in *. unfold rejected in R. apply andb_true_iff in R as [R A].
  assert (J : j <= fst h) by (unfold key in K; destruct (snd h); lia). destruct (Nat.eq_dec j (fst h)) as [->|D].
  - rewrite (emits_step S P q h _ E), R, Nat.eqb_refl. cbn [andb app filter]. apply negb_true_iff in A. rewrite A. reflexivity.
  - destruct (beyond S q j h L) as [-> ->]; [intros g G; rewrite E in G; injection G as <-; lia|reflexivity].
Qed.

Theorem filter_strictly_lawful : Strictness S -> strictly_lawful filtered.
Proof using L.
  intros St. split; [exact filter_lawful|]. intros q p i h' E K E'. destruct (filter_stands _ _ E) as (h & Eh & H). injection H as -> H.
  symmetry in H. apply andb_true_iff in H as [R A]. destruct (filter_stands _ _ E') as (g & Eg & ->). cbn [fst].
  destruct h as [i r]. cbn [fst snd] in *. subst r. destruct (filter_request q p _ Eh) as [[_ Q]|[R _]].
  - rewrite Q in Eg. exact (St q p i g Eh K Eg).
  - unfold rejected in R. cbn [fst snd] in R. rewrite A in R. discriminate.
Qed.
End Filter.

(** * Contract: every index becomes one

    It emits all that its operand does, in the same order, and is lawful; it is not strictly lawful, and must not be a factor. *)
Section Contract.
Context {W : Type} (S : stream W).
Definition contracted : stream W := {|
  state := state S;
  stands q := match stands S q with Some h => Some (0, snd h) | None => None end;
  value := value S;
  skip q p := match stands S q with Some h => skip S q (fst h, 0 <? key p) | None => q end;
  left := left S
|}.
Hypothesis L : lawful S.

Lemma contract_progress : Progress contracted.
Proof using L.
  destruct L as [P M V]. intros q p. cbn [contracted left skip stands]. destruct (stands S q) as [h|] eqn:E; [|split; [lia|discriminate]].
  split; [apply P|]. intros h' H K. injection H as <-. apply (proj2 (P q _) h E). unfold key in *. cbn [fst snd] in *.
  destruct (snd h); [|destruct (0 <? _); lia]. rewrite (proj2 (Nat.ltb_lt _ _)) by lia. lia.
Qed.

Lemma contract_advance q h : stands S q = Some h -> skip contracted q (0, snd h) = skip S q h.
Proof. intros E. cbn [contracted skip]. rewrite E. f_equal. destruct h as [i [|]]; reflexivity. Qed.

Theorem contract_trace : forall q, trace contracted q = map (fun e => (0, snd e)) (trace S q).
Proof using L.
  pose proof contract_progress as P. intros q. pattern q. apply (advance_induction _ _ P). clear q. intros q IH.
  destruct (stands S q) as [h|] eqn:E.
  - assert (E' : stands contracted q = Some (0, snd h)) by (cbn [contracted stands]; rewrite E; reflexivity).
    rewrite (trace_step contracted P q _ E'), (IH _ E'), (contract_advance q h E), (trace_step S (progress _ L) q h E), map_app.
    f_equal. destruct (snd h); reflexivity.
  - rewrite (trace_ended S (progress _ L) q E). apply (trace_ended contracted P). cbn [contracted stands]. rewrite E. reflexivity.
Qed.

Theorem contract_emits q j : emits contracted q j = if j =? 0 then map snd (trace S q) else [].
Proof using L.
  unfold emits. rewrite contract_trace. unfold at_index. induction (trace S q) as [|e es IH]; cbn [map filter fst].
  - destruct (j =? 0); reflexivity.
  - rewrite (Nat.eqb_sym 0 j). destruct (j =? 0); cbn [map snd]; rewrite IH; reflexivity.
Qed.

Lemma contract_monotone : Monotone contracted.
Proof using L.
  intros q p. cbn [contracted stands skip]. destruct (stands S q) as [h|] eqn:E.
  - destruct (stands S (skip S q _)) as [h'|]; [cbn; lia|exact I].
  - rewrite E. exact I.
Qed.

(** Traces are in order, so what is emitted at each index says all of them. *)
Lemma trace_sorted : forall q, StronglySorted (fun a b => fst a <= fst b) (trace S q) /\
  forall h, stands S q = Some h -> Forall (fun e => fst h <= fst e) (trace S q).
Proof using L.
  destruct L as [P M V]. intros q. pattern q. apply (advance_induction _ _ P). clear q. intros q IH.
  destruct (stands S q) as [h|] eqn:E; [|rewrite (trace_ended S P q E); split; [constructor|discriminate]].
  destruct (IH h eq_refl) as [So Lo]. rewrite (trace_step S P q h E).
  assert (F : Forall (fun e => fst h <= fst e) (trace S (skip S q h))).
  { pose proof (M q h) as Mq. rewrite E in Mq. destruct (stands S (skip S q h)) as [h'|] eqn:E'.
    - eapply Forall_impl; [|exact (Lo h' eq_refl)]. cbn. lia.
    - rewrite (trace_ended S P _ E'). constructor. }
  split; [|intros g G; injection G as <-]; destruct (snd h); cbn [app]; auto; constructor; auto.
Qed.

Lemma at_index_nil (es : list (nat * W)) : (forall j, at_index j es = []) -> es = [].
Proof.
  destruct es as [|[i x] es]; [reflexivity|]. intros H. specialize (H i). unfold at_index in H. cbn in H. rewrite Nat.eqb_refl in H. discriminate.
Qed.

Lemma at_index_below (es : list (nat * W)) i j : i < j -> Forall (fun e => j <= fst e) es -> at_index i es = [].
Proof.
  intros H. induction 1 as [|e es E _ IH]; [reflexivity|]. unfold at_index in *. cbn. rewrite (proj2 (Nat.eqb_neq _ _)) by lia. exact IH.
Qed.

Lemma sorted_by_index (es fs : list (nat * W)) : StronglySorted (fun a b => fst a <= fst b) es ->
  StronglySorted (fun a b => fst a <= fst b) fs -> (forall j, at_index j es = at_index j fs) -> es = fs.
Proof.
  intros Se. revert fs. induction Se as [|[i x] es Se IH Fe]; intros fs Sf H.
  - symmetry. apply at_index_nil. intros j. rewrite <- H. reflexivity.
  - destruct Sf as [|[k y] fs Sf Ff]; [apply at_index_nil; intros j; rewrite H; reflexivity|].
    assert (i = k).
    { destruct (Nat.lt_trichotomy i k) as [D|[D|D]]; [exfalso|exact D|exfalso].
      - specialize (H i). rewrite (at_index_below ((k, y) :: fs) i k D) in H by (constructor; [cbn; lia|eapply Forall_impl; [|exact Ff]; cbn; lia]).
        unfold at_index in H. cbn in H. rewrite Nat.eqb_refl in H. discriminate.
      - specialize (H k). rewrite (at_index_below ((i, x) :: es) k i D) in H by (constructor; [cbn; lia|eapply Forall_impl; [|exact Fe]; cbn; lia]).
        unfold at_index in H. cbn in H. rewrite Nat.eqb_refl in H. discriminate. }
    subst k. pose proof (H i) as Hi. unfold at_index in Hi. cbn in Hi. rewrite Nat.eqb_refl in Hi. injection Hi as -> _. f_equal.
    apply IH; [exact Sf|]. intros j. specialize (H j). unfold at_index in H |- *. cbn in H. destruct (i =? j); [|exact H]. injection H. auto.
Qed.

Theorem contract_lawful : lawful contracted.
Proof using L.
  split; [exact contract_progress|exact contract_monotone|]. intros q p j N. rewrite !contract_emits.
  destruct (Nat.eqb_spec j 0) as [->|_]; [|reflexivity]. f_equal. unfold needs in N. cbn [contracted skip].
  destruct (stands S q) as [h|] eqn:E; [|reflexivity]. replace (0 <? key p) with false by (symmetry; apply Nat.ltb_ge; lia).
  apply sorted_by_index; try apply trace_sorted. intros j. fold (emits S (skip S q (fst h, false)) j) (emits S q j).
  destruct (Nat.lt_ge_cases j (fst h)) as [J|J].
  - destruct (beyond S q j (fst h, false) L) as [-> ->]; [intros g G; rewrite E in G; injection G as <-; exact J|reflexivity].
  - apply (preservation _ L). unfold needs, key. cbn. lia.
Qed.
End Contract.
