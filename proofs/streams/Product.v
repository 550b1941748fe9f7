(** [product]: where both operands emit. *)
Require Import Arith List Bool Lia.
Require Export Atl.streams.Stream.
Import ListNotations.

Definition later (p p' : position) : position := if key p <? key p' then p' else p.

Lemma later_key p p' : key (later p p') = Nat.max (key p) (key p').
Proof. unfold later. destruct (Nat.ltb_spec (key p) (key p')); lia. Qed.

(** What a product and a sum emit at an index, of what their operands do, which is at most one value each. *)
Definition both {U V W} (f : U -> V -> W) (xs : list U) (ys : list V) : list W :=
  match xs, ys with x :: _, y :: _ => [f x y] | _, _ => [] end.
Definition either {W} (f : W -> W -> W) (xs ys : list W) : list W :=
  match xs, ys with x :: _, y :: _ => [f x y] | [], _ => ys | _, [] => xs end.

Section Product.
Context {U V W : Type} (A : stream U) (B : stream V) (f : U -> V -> W).

(** Whether the second operand is asked to come to where the first stands then. *)
Context (lead : bool).

Definition product : stream W := {|
  state := state A * state B;
  stands q := match stands A (fst q), stands B (snd q) with
    | Some (i, r), Some (j, s) => Some (Nat.max i j, r && s && (i =? j))
    | _, _ => None
    end;
  value q := f (value A (fst q)) (value B (snd q));
  skip q p := let a := skip A (fst q) p in
    match stands A a with
    | None => (a, snd q)
    | Some h => (a, skip B (snd q) (if lead then later p (fst h, false) else p))
    end;
  left q := match stands A (fst q), stands B (snd q) with
    | Some _, Some _ => left A (fst q) + left B (snd q)
    | _, _ => 0
    end
|}.

Hypothesis LA : strictly_lawful A.
Hypothesis LB : strictly_lawful B.

(** A skip, in words: the first is skipped; if it stands somewhere then, the second is, as far or farther. *)
Lemma skip_product a b p :
  (stands A (skip A a p) = None /\ skip product (a, b) p = (skip A a p, b)) \/
  exists h p', stands A (skip A a p) = Some h /\ skip product (a, b) p = (skip A a p, skip B b p') /\ key p <= key p' /\
    forall j, needs p j -> fst h <= j -> needs p' j.
Proof.
  cbn [product skip fst snd]. destruct (stands A (skip A a p)) as [h|]; [right|left; auto].
  eexists h, _. repeat split.
  - destruct lead; [rewrite later_key; lia|lia].
  - intros j N H. destruct lead; [|exact N]. unfold needs in *. rewrite later_key. apply Nat.max_lub; [exact N|unfold key; cbn [fst snd]; lia].
Qed.

Lemma stands_product a b h : stands product (a, b) = Some h -> exists i r j s,
  stands A a = Some (i, r) /\ stands B b = Some (j, s) /\ h = (Nat.max i j, r && s && (i =? j)).
Proof.
  cbn [product stands fst snd]. destruct (stands A a) as [[i r]|], (stands B b) as [[j s]|]; try discriminate.
  intros E. injection E as <-. eauto 8.
Qed.

Lemma product_monotone : Monotone product.
Proof using LA LB.
  destruct LA as [[PA MA _] _], LB as [[PB MB _] _]. intros [a b] p.
  pose proof (MA a p) as Ma. destruct (skip_product a b p) as [[E ->]|(h & p' & E & -> & _)].
  - destruct (stands product (a, b)); cbn [product stands fst snd]; rewrite E; exact I.
  - pose proof (MB b p') as Mb. rewrite E in Ma. cbn [product stands fst snd]. rewrite E. destruct h as [i' r'].
    destruct (stands A a) as [[i r]|]; [|destruct Ma].
    destruct (stands B b) as [[j s]|], (stands B (skip B b p')) as [[j' s']|]; auto. cbn in *. lia.
Qed.

Lemma product_progress : Progress product.
Proof using LA LB.
  pose proof product_monotone as MP. destruct LA as [[PA MA _] _], LB as [[PB MB _] _]. intros [a b] p.
  assert (Z : forall q, stands product q = None -> left product q = 0).
  { intros [a' b']. cbn [product stands left fst snd]. destruct (stands A a') as [[]|], (stands B b') as [[]|]; easy. }
  destruct (stands product (a, b)) as [h|] eqn:E.
  2: { rewrite (Z _ E), (Z (skip product (a, b) p)) by (apply ended_stays; assumption). split; [lia|discriminate]. }
  destruct (stands_product _ _ _ E) as (i & r & j & s & Ea & Eb & ->).
  assert (Pos : 0 < left product (a, b)).
  { cbn [product left fst snd]. rewrite Ea, Eb. destruct (PA a (i, r)) as [_ D]. specialize (D _ Ea (le_n _)). lia. }
  destruct (stands product (skip product (a, b) p)) as [h|] eqn:E'; [|rewrite (Z _ E'); split; intros; lia].
  destruct (skip_product a b p) as [[N Q]|(h1 & p' & _ & Q & K & _)]; rewrite Q in *.
  { cbn [product stands fst] in E'. rewrite N in E'. discriminate. }
  destruct (stands_product _ _ _ E') as (i' & r' & j' & s' & Ea' & Eb' & _).
  cbn [product left fst snd]. rewrite Ea, Eb, Ea', Eb'.
  destruct (PA a p) as [La Da], (PB b p') as [Lb Db]. specialize (Da _ Ea). specialize (Db _ Eb). split; [lia|].
  intros h0 E0 G. injection E0 as <-. assert (D : key (i, r) <= key p \/ key (j, s) <= key p').
  { unfold key in *. cbn [fst snd] in *. destruct (Nat.eqb_spec i j), r, s; cbn in *; lia. }
  destruct D as [D|D]; [specialize (Da D)|specialize (Db D)]; lia.
Qed.

(** What a skip leaves of the operands. *)
Lemma skip_emits a b p j : needs p j ->
  both f (emits A (fst (skip product (a, b) p)) j) (emits B (snd (skip product (a, b) p)) j) = both f (emits A a j) (emits B b j).
Proof using LA LB.
  destruct LA as [[PA MA VA] _], LB as [[PB MB VB] _]. intros N.
  destruct (skip_product a b p) as [[E ->]|(h & p' & E & -> & _ & L)]; cbn [fst snd]; rewrite (VA a p j N).
  - reflexivity.
  - destruct (Nat.lt_ge_cases j (fst h)) as [J|J]; [|rewrite (VB b p' j (L j N J)); reflexivity].
    rewrite <- (VA a p j N), (nothing_before A PA MA _ j h E J). reflexivity.
Qed.

Theorem product_emits : forall q j, emits product q j = both f (emits A (fst q) j) (emits B (snd q) j).
Proof using LA LB.
  pose proof product_progress as P. pose proof product_monotone as M.
  pose proof LA as [[PA MA VA] _]. pose proof LB as [[PB MB VB] _].
  intros q. pattern q. apply (advance_induction _ _ P). clear q. intros [a b] IH j. cbn [fst snd].
  assert (Nil : forall xs : list U, both f xs [] = []) by (intros [|]; reflexivity).
  destruct (stands product (a, b)) as [h|] eqn:E.
  - rewrite (emits_step _ P _ _ j E), (IH _ eq_refl j).
    destruct (stands_product _ _ _ E) as (i & r & k & s & Ea & Eb & ->). cbn [fst snd].
    destruct (Nat.lt_ge_cases j (Nat.max i k)) as [J|J].
    + (* Before the place where both might meet. *)
      replace (Nat.max i k =? j) with false by (symmetry; apply Nat.eqb_neq; lia). rewrite andb_false_r. cbn [app].
      assert (Before : forall a b, (exists i r k s, stands A a = Some (i, r) /\ stands B b = Some (k, s) /\ j < Nat.max i k) \/
          stands A a = None \/ stands B b = None -> both f (emits A a j) (emits B b j) = []).
      { clear -PA MA PB MB Nil. intros a b [(i & r & k & s & Ea & Eb & J)|[E|E]].
        - destruct (Nat.lt_ge_cases j i) as [H|H]; [rewrite (nothing_before A PA MA _ _ _ Ea H); reflexivity|].
          rewrite (nothing_before B PB MB b j _ Eb) by (cbn; lia). apply Nil.
        - rewrite (emits_ended A PA _ _ E). reflexivity.
        - rewrite (emits_ended B PB _ _ E). apply Nil. }
      rewrite (Before a b) by (left; eauto 10). destruct (skip product (a, b) _) as [a' b'] eqn:Q. cbn [fst snd]. apply Before.
      pose proof (M (a, b) (Nat.max i k, r && s && (i =? k))) as Mq. rewrite E, Q in Mq.
      destruct (stands product (a', b')) as [h'|] eqn:E'.
      * destruct (stands_product _ _ _ E') as (i' & r' & k' & s' & Ea' & Eb' & ->). left. exists i', r', k', s'. cbn in Mq. repeat split; auto. lia.
      * right. cbn [product stands fst snd] in E'. destruct (stands A a') as [[]|], (stands B b') as [[]|]; auto; discriminate.
    + destruct (Nat.eq_dec (Nat.max i k) j) as [H|H].
      2: { replace (Nat.max i k =? j) with false by (symmetry; apply Nat.eqb_neq; exact H). rewrite andb_false_r. cbn [app].
           apply skip_emits. unfold needs, key. cbn [fst snd]. destruct (r && s && (i =? k)); lia. }
      rewrite (proj2 (Nat.eqb_eq _ _) H), andb_true_r. destruct (r && s && (i =? k)) eqn:R.
      * rewrite !andb_true_iff in R. destruct R as [[-> ->] R]. apply Nat.eqb_eq in R. subst k. replace j with i in * by lia.
        destruct (emits_ready A LA a i (i, true) Ea (le_n _)) as [-> Ga].
        destruct (emits_ready B LB b i (i, true) Eb (le_n _)) as [-> _]. cbn [both value product fst snd].
        replace (Nat.max i i) with i by lia.
        assert (Fst : fst (skip product (a, b) (i, true)) = skip A a (i, true)).
        { destruct (skip_product a b (i, true)) as [[_ ->]|(? & ? & _ & -> & _)]; reflexivity. }
        rewrite Fst, Ga. reflexivity.
      * cbn [app]. apply skip_emits. unfold needs, key. cbn. lia.
  - rewrite emits_ended by assumption. cbn [product stands fst snd] in E.
    destruct (stands A a) as [[i r]|] eqn:Ea; [|rewrite (emits_ended A PA _ _ Ea); reflexivity].
    destruct (stands B b) as [[k s]|] eqn:Eb; [discriminate|]. rewrite (emits_ended B PB _ _ Eb). symmetry. apply Nil.
Qed.

Theorem product_lawful : strictly_lawful product.
Proof using LA LB.
  split; [split; [exact product_progress|exact product_monotone|]|].
  - intros [a b] p j N. rewrite !product_emits. apply skip_emits, N.
  - pose proof product_monotone as M. destruct LA as [_ SA], LB as [[PB MB _] _].
    intros [a b] p i h' E K E'. destruct (stands_product _ _ _ E) as (i0 & r & k & s & Ea & Eb & H). injection H as -> R.
    symmetry in R. rewrite !andb_true_iff in R. destruct R as [[-> ->] R]. apply Nat.eqb_eq in R. subst k. replace (Nat.max i0 i0) with i0 in * by lia.
    destruct (skip_product a b p) as [[N Q]|(h1 & p' & E1 & Q & _)]; rewrite Q in E'; [cbn [product stands fst] in E'; rewrite N in E'; discriminate|].
    destruct (stands_product _ _ _ E') as (i' & r' & k' & s' & Ea' & _ & ->). pose proof (SA a p i0 _ Ea K Ea') as G. cbn in *. lia.
Qed.
End Product.
