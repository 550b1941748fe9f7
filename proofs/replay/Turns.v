(** What [turn] accepts is so: a round makes the next states of those before, each in its home. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Updated.
Import ListNotations.
Open Scope Z_scope.

(** * Words that are the same *)
Lemma term_eqb_eq a b : term_eqb a b = true -> a = b.
Proof.
  revert b. induction a as [z|l|k|o a b IHa IHb|l ts IH] using term_induction; intros [y|m|n|p d e|m us]; cbn; try easy.
  - intros H. apply Z.eqb_eq in H. congruence.
  - intros H. apply Nat.eqb_eq in H. congruence.
  - intros H. apply Nat.eqb_eq in H. congruence.
  - intros H. split_and. apply IHa in H1. apply IHb in H0. subst. destruct o, p; easy.
  - intros H. split_and. apply Nat.eqb_eq in H. subst m. f_equal. revert us H0. induction IH as [|t ts It _ IH]; intros [|u us]; try easy.
    intros H. split_and. apply It in H. apply IH in H0. congruence.
Qed.

Lemma predicate_eqb_eq p q : predicate_eqb p q = true -> p = q.
Proof.
  revert q. induction p as [| |r a b|p IH|p IHp q IHq|p IHp q IHq]; intros [| |t d e|p'|p' q'|p' q']; cbn; try easy.
  - intros H. split_and. apply term_eqb_eq in H0, H1. subst. destruct r, t; easy.
  - intros H. apply IH in H. congruence.
  - intros H. split_and. apply IHp in H. apply IHq in H0. congruence.
  - intros H. split_and. apply IHp in H. apply IHq in H0. congruence.
Qed.

Lemma list_eqb_eq {T} (eqb : T -> T -> bool) (E : forall x y, eqb x y = true -> x = y) xs ys : list_eqb eqb xs ys = true -> xs = ys.
Proof. revert ys. induction xs as [|x xs IH]; intros [|y ys]; cbn; try easy. intros H. split_and. apply E in H. apply IH in H0. congruence. Qed.

Lemma option_eqb_eq {T} (eqb : T -> T -> bool) (E : forall x y, eqb x y = true -> x = y) x y : option_eqb eqb x y = true -> x = y.
Proof. destruct x, y; cbn; try easy. intros H. apply E in H. congruence. Qed.

Lemma layer_eqb_eq x y : layer_eqb x y = true -> x = y.
Proof.
  destruct x, y; cbn; try easy; intros H; split_and;
    repeat match goal with
    | H : term_eqb _ _ = true |- _ => apply term_eqb_eq in H
    | H : option_eqb _ _ _ = true |- _ => apply (option_eqb_eq _ term_eqb_eq) in H
    | H : (_ =? _) = true |- _ => apply Z.eqb_eq in H
    end; congruence.
Qed.

Lemma entry_eqb_eq x y : entry_eqb x y = true -> x = y.
Proof.
  destruct x as [[b s] w], y as [[b' s'] w']. cbn. intros H. split_and. apply String.eqb_eq in H. apply (list_eqb_eq _ term_eqb_eq) in H1.
  apply option_eqb_eq in H0; [congruence|]. intros [[r ls] ps] [[r' ls'] ps'] E. cbn in E. apply andb_true_iff in E as [E E2].
  apply andb_true_iff in E as [E E1]. apply (list_eqb_eq _ term_eqb_eq) in E. apply (list_eqb_eq _ layer_eqb_eq) in E1.
  apply (list_eqb_eq _ predicate_eqb_eq) in E2. congruence.
Qed.

Section Turns.
Context {V : Type} (Any : algebra V) (S : signature V) (ints : arrays) (c0 : context).
Notation models := (models Any S ints c0).
Notation tensor_of := (tensor_of Any S c0).
Notation statement_of := (statement_of Any S c0).
Notation steps_of := (steps_of Any S c0).
Notation stand := (stand Any).
Notation values c := (map (Index.value c [])).
Notation carries := (carries (V := V) (ints := ints)).
Implicit Types (g : goal) (c : context) (T : list (tensor V)) (us vs s : list term) (x : cells_word).

Lemma split_words_run b n p m : run ints (statement_of b p) m =
  run ints (Seq (statement_of b (fst (split_words n p))) (statement_of b (snd (split_words n p)))) m.
Proof.
  assert (Id : forall P : statement V, run ints P m = run ints (Seq P Skip) m) by (intros P; cbn [run]; destruct (run ints P m); reflexivity).
  revert p m Id. induction n as [|n IH]; intros p m Id; [reflexivity|].
  destruct p as [|p q| | | | | | | |]; destruct n as [|n]; try apply Id; [reflexivity|].
  change (split_words (Datatypes.S (Datatypes.S n)) (LSeq p q)) with (let (a, b) := split_words (Datatypes.S n) q in (LSeq p a, b)).
  specialize (IH q). destruct (split_words (Datatypes.S n) q) as [a d]. cbn [fst snd Words.statement_of run] in IH |- *.
  destruct (run ints (statement_of b p) m) as [m'|]; [|reflexivity]. cbn [bind]. apply IH.
  intros P. cbn [run]. destruct (run ints P m'); reflexivity.
Qed.

(** * Homes *)
Definition home_of c (out : string) x : home :=
  Home (of_buffer x) (values c (of_state x)) (place_of c (of_room x) (through x)) (negb (String.eqb (of_buffer x) out)).

Lemma home_of_lift c i out x : home_of (Number i :: c) out (lift_cells x) = home_of c out x.
Proof. unfold home_of. cbn [lift_cells of_buffer of_state of_room through]. rewrite values_lift, place_of_lift. reflexivity. Qed.

Record settled (Hs : list home) (out : string) (X : scratch) : Prop := {
  no_scratch : forall y, In y (map fst X) -> ~ In y (buffers Hs);
  not_out : ~ In out (map fst X);
  one_to_one : forall H, In H Hs -> injective (fun e => inbox e (all_of H)) (cells_at H)
}.

Lemma length_inbox e (s : shape) : inbox e s -> List.length e = List.length s.
Proof. revert s. induction e as [|i e IH]; intros [|n s]; cbn; try easy. intros [_ B]. rewrite (IH _ B). reflexivity. Qed.

Lemma bounds_values c e : map (Index.value c e) (own_indices (List.length e)) = e.
Proof. unfold own_indices. rewrite map_map. exact (bounds_nth e). Qed.

Lemma of_round_holds c d r p e : List.length e = d -> holds_at c (of_round d r p) e = holds_at c p (e ++ [Index.value c e r]).
Proof.
  intros <-. rewrite !holds_at_holds. unfold of_round. pose proof (holds_close c [] e (own_indices (List.length e) ++ [r]) p) as E.
  cbn [app Datatypes.length] in E. rewrite E, map_app, bounds_values. reflexivity.
Qed.

(** A state before a round, in its home. *)
Definition state_at c x (r : Z) (t : tensor V) : known V :=
  Placed (of_buffer x) (values c (of_state x)) (place_of c (of_room x) (through x)) (fun e => holds_at c (wanted x) (e ++ [r])) t.

Lemma entry_state c x r z t m : (forall e, Index.value c e r = z) -> (holds m (known_by c (home_entry x r) t) <-> holds m (state_at c x z t)).
Proof.
  intros E. unfold holds. cbn [home_entry known_by state_at name dims cell_at present held].
  assert (P : forall l, inbox l (values c (of_state x)) -> hold_at c [True_; of_round (List.length (of_state x)) r (wanted x)] l = holds_at c (wanted x) (l ++ [z])).
  { intros l B. apply length_inbox in B. rewrite map_length in B. cbn [hold_at holds_at andb]. rewrite andb_true_r, (of_round_holds c _ r _ l B), E. reflexivity. }
  split; intros H l B Q; apply H; auto; rewrite P in *; auto.
Qed.

Lemma state_lift c i x r t : state_at (Number i :: c) (lift_cells x) r t = state_at c x r t.
Proof. unfold state_at. cbn [lift_cells of_buffer of_state of_room through wanted]. rewrite values_lift, place_of_lift, holds_at_raise. reflexivity. Qed.

(** * What is known *)
Lemma name_known c b s w (t : tensor V) : name (known_by c (b, s, w) t) = b.
Proof. destruct w as [[[r ls] ps]|]; reflexivity. Qed.

Lemma in_known c bs T z : In z (known_of c bs T) -> exists j b t, nth_error bs j = Some (Some b) /\ nth_error T j = Some t /\ z = known_by c b t.
Proof.
  revert T. induction bs as [|[b|] bs IH]; intros [|t T]; cbn; try easy.
  - intros [<-|I]; [exists 0%nat, b, t; auto|]. destruct (IH T I) as (j & b' & t' & ? & ? & ?). exists (Datatypes.S j), b', t'. auto.
  - intros I. destruct (IH T I) as (j & b' & t' & ? & ? & ?). exists (Datatypes.S j), b', t'. auto.
Qed.

Lemma known_forgotten g c b T z : In z (known_of c (tensors (forgetting b g)) T) -> In z (known_of c (tensors g) T) /\ name z <> b.
Proof.
  cbn [forgetting knowing tensors]. generalize (tensors g) as bs. intros bs. revert T. induction bs as [|[[[y s] w]|] bs IH]; intros T; [destruct T; easy| |].
  - cbn [map]. destruct (String.eqb_spec y b) as [->|N]; (destruct T as [|t T]; [easy|]); cbn [known_of].
    + intros I. destruct (IH T I). cbn. auto.
    + intros [<-|I]; [rewrite name_known; cbn; auto|]. destruct (IH T I). cbn. auto.
  - destruct T as [|t T]; [easy|]. cbn [map known_of]. apply IH.
Qed.

Lemma known_put c j b bs T z : In z (known_of c (put_at j (Some b) bs) T) ->
  In z (known_of c bs T) \/ exists t, nth_error T j = Some t /\ z = known_by c b t.
Proof.
  revert j T. induction bs as [|[y|] bs IH]; intros [|j] [|t T]; cbn [put_at known_of nth_error]; try easy.
  - intros [<-|I]; [right; eauto|left; cbn; auto].
  - intros [<-|I]; [left; cbn; auto|]. destruct (IH j T I) as [J|J]; [left; cbn; auto|right; exact J].
  - intros [<-|I]; [right; eauto|left; exact I].
  - intros I. exact (IH j T I).
Qed.

Lemma clear_right g c T b : clear_word g b = true -> clear (known_of c (tensors g) T) (scratch_of c (spare g)) b.
Proof.
  unfold clear_word. rewrite forallb_forall. intros H y I. apply in_map_iff in I as (z & <- & I). unfold scratch_of in I. apply in_map_iff in I as (w & <- & I).
  specialize (H w I). split_and. cbn [fst]. apply negb_true_iff, String.eqb_neq in H0. split; [exact H0|].
  apply (free_right g c T) in H. rewrite forallb_forall in H. intros z Iz. specialize (H z Iz). apply negb_true_iff, String.eqb_neq in H. exact H.
Qed.

Lemma housed_right g c T out x : housed_word g x = true ->
  housed (known_of c (tensors g) T) (of_buffer x) (all_of (home_of c out x)) (cells_at (home_of c out x)).
Proof.
  unfold housed_word. rewrite forallb_forall. intros H z I E. destruct (in_known _ _ _ _ I) as (j & [[b s] w] & t & N & _ & ->).
  apply nth_error_In in N. specialize (H _ N). cbn [at_home] in H. rewrite name_known in E. subst b. rewrite String.eqb_refl in H. cbn [negb orb] in H.
  destruct w as [[[r ls] ps]|]; [|discriminate]. split_and. apply (list_eqb_eq _ term_eqb_eq) in H, H1. apply (list_eqb_eq _ layer_eqb_eq) in H0. subst.
  cbn. auto.
Qed.

Lemma put_length {U} n (y : U) l : List.length (put_at n y l) = List.length l.
Proof. revert n. induction l as [|z l IH]; intros [|n]; cbn; auto. Qed.

(** * A round *)
Definition makes_step c T vs ks sw (n : nat) : Prop := forall k t, step_of k sw = Some t ->
  nth_error T (n - Datatypes.S k) = Some (tensor_of (worth c vs) (stand T (seq (n - k) k ++ seq n n ++ map (Nat.add (n + n)) ks)) t).

Theorem turn_right ms : forall Hs out hs n g us p vs ks sw g1 rest c T, models g c T -> (forall x, In x hs -> In (home_of c out x) Hs) ->
  settled Hs out (scratch_of c (spare g)) -> makes_step c T vs ks sw n -> turn ms hs n g us p vs ks sw = Some (g1, rest) ->
  spare g1 = spare g /\ List.length (tensors g1) = List.length (tensors g) /\ forall G', carries Hs out (scratch_of c (spare g)) (known_of c (tensors g1) T) (statement_of (worth c us) rest) G' ->
    carries Hs out (scratch_of c (spare g)) (known_of c (tensors g) T) (statement_of (worth c us) p) G'.
Proof.
  induction ms as [|k count h ms IH]; intros Hs out hs n g us p vs ks sw g1 rest c T M Hh Se St E; cbn [turn] in E.
  - injection E as <- <-. auto.
  - destruct (nth_error hs k) as [x|] eqn:Nx; [|discriminate]. destruct (step_of k sw) as [t|] eqn:Nt; [|discriminate].
    pose proof (split_words_run (worth c us) count p) as Sp. destruct (split_words count p) as [first others]. cbn [fst snd] in Sp.
    match type of E with (if ?b then _ else _) = _ => destruct b eqn:A; [|discriminate] end.
    apply andb_true_iff in A as [A H0]. apply andb_true_iff in A as [A H1].
    set (next := Op Add (Free 0) (Lit 1)) in *. set (g' := putting (n - Datatypes.S k) (home_entry x next) (forgetting (of_buffer x) g)) in *.
    assert (M' : models g' c T).
    { apply models_knowing; [cbn; rewrite put_length, map_length; reflexivity|]. apply models_knowing; [cbn; apply map_length|exact M]. }
    destruct (IH Hs out hs n g' us others vs ks sw g1 rest c T M' Hh Se St E) as (Sp1 & Ln & Cr). split; [exact Sp1|].
    split; [rewrite Ln; cbn; rewrite put_length; apply map_length|]. intros G' C.
    apply (carries_run _ _ _ _ _ _ _ Sp). apply (carries_seq _ _ _ _ (known_of c (tensors g') T)); [|exact (Cr G' C)].
    apply nth_error_In in Nx as Ix. specialize (Hh x Ix).
    assert (U := update_right Any S ints c0 h g c T _ _ _ _ _ _ _ _ M H0). unfold updated in U. cbn [in_round of_buffer of_state of_room through map] in U.
    apply (carries_update _ _ _ _ _ (home_of c out x) _ _ _ _ Hh (no_scratch _ _ _ Se) (not_out _ _ _ Se) (clear_right g c T _ A)
      (one_to_one _ _ _ Se _ Hh) (housed_right g c T out x H1) U).
    intros z Iz. cbn [g' putting knowing tensors] in Iz. destruct (known_put _ _ _ _ _ _ Iz) as [J|(u & Nu & ->)].
    + left. exact (known_forgotten g c _ T z J).
    + right. cbn [home_entry known_by name dims cell_at held present home_of in_buffer all_of cells_at]. repeat split.
      * rewrite (St k t Nt) in Nu. congruence.
      * intros e _ P. cbn [hold_at holds_at andb] in P. rewrite andb_true_r in P. exact P.
Qed.

(** The steps' tensors, the newest first. *)
Lemma steps_length bound ts sw acc : List.length (steps_of bound ts sw acc) = (how_many sw + List.length acc)%nat.
Proof. revert acc. induction sw as [|a t sw IH]; intros acc; cbn [Words.steps_of how_many]; [reflexivity|]. rewrite IH. cbn. lia. Qed.
Lemma starts_length bound ts sw acc : List.length (starts_of Any S c0 bound ts sw acc) = (how_many sw + List.length acc)%nat.
Proof. revert acc. induction sw as [|a t sw IH]; intros acc; cbn [Words.starts_of how_many]; [reflexivity|]. rewrite IH. cbn. lia. Qed.

Lemma skip_tail {U} n (l : list U) : skipn (Datatypes.S n) l = tl (skipn n l).
Proof. revert l. induction n as [|n IH]; intros [|y l]; try reflexivity. exact (IH l). Qed.

Lemma steps_skip bound ts sw acc : skipn (how_many sw) (steps_of bound ts sw acc) = acc.
Proof.
  revert acc. induction sw as [|a t sw IH]; intros acc; [reflexivity|]. cbn [Words.steps_of how_many]. specialize (IH (tensor_of bound (acc ++ ts) t :: acc)).
  exact (eq_trans (skip_tail _ _) (f_equal (@tl _) IH)).
Qed.

Lemma nth_skip {U} (l : list U) n y r : skipn n l = y :: r -> nth_error l n = Some y.
Proof. revert n. induction l as [|z l IH]; intros [|n]; cbn; try easy; [intros [= -> _]; reflexivity|apply IH]. Qed.

Lemma steps_nth bound ts sw acc k t : step_of k sw = Some t -> let news := steps_of bound ts sw acc in
  nth_error news (how_many sw - Datatypes.S k) = Some (tensor_of bound (skipn (how_many sw - k) news ++ ts) t).
Proof.
  revert acc k. induction sw as [|a u sw IH]; intros acc [|k]; cbn [step_of]; try easy; intros E; cbn [Words.steps_of how_many Nat.sub].
  - injection E as ->. pose proof (steps_skip bound ts sw (tensor_of bound (acc ++ ts) t :: acc)) as Sk.
    assert (E2 : skipn (Datatypes.S (how_many sw)) (steps_of bound ts sw (tensor_of bound (acc ++ ts) t :: acc)) = acc)
      by exact (eq_trans (skip_tail _ _) (f_equal (@tl _) Sk)).
    rewrite Nat.sub_0_r. refine (eq_trans (nth_skip _ _ _ _ Sk) _).
    exact (f_equal (fun l => Some (tensor_of bound (l ++ ts) t)) (eq_sym E2)).
  - exact (IH _ k E).
Qed.

(** Tensors in a list that has these in front. *)
Lemma stand_seq T a b : (a + b <= List.length T)%nat -> stand T (seq a b) = firstn b (skipn a T).
Proof.
  revert a. induction b as [|b IH]; intros a L; [reflexivity|]. cbn [seq]. unfold stand in *. cbn [map]. rewrite IH by lia.
  assert (E : skipn a T = nth a T (scalar (zero Any)) :: skipn (Datatypes.S a) T).
  { clear - L. revert T L. induction a as [|a IHa]; intros [|x T] L; cbn in L |- *; try lia; [reflexivity|]. apply IHa. lia. }
  rewrite E. reflexivity.
Qed.
Lemma stand_add T0 T ks : stand (T0 ++ T) (map (Nat.add (List.length T0)) ks) = stand T ks.
Proof. unfold stand. rewrite map_map. apply map_ext. intros k. apply app_nth2_plus. Qed.
Lemma stand_app T ks ks' : stand T (ks ++ ks') = stand T ks ++ stand T ks'.
Proof. apply map_app. Qed.

Lemma round_stands news olds T ks n k : List.length news = n -> List.length olds = n -> (k <= n)%nat ->
  stand (news ++ olds ++ T) (seq (n - k) k ++ seq n n ++ map (Nat.add (n + n)) ks) = skipn (n - k) news ++ olds ++ stand T ks.
Proof.
  intros Ln Lo Lk. rewrite !stand_app. f_equal; [|f_equal].
  - rewrite stand_seq by (rewrite !app_length; lia). rewrite skipn_app, firstn_app.
    rewrite skipn_length, Ln. replace (k - (n - (n - k)))%nat with 0%nat by lia. rewrite firstn_all2 by (rewrite skipn_length; lia).
    cbn [firstn]. apply app_nil_r.
  - rewrite stand_seq by (rewrite !app_length; lia). rewrite skipn_app, Ln, Nat.sub_diag, skipn_all2 by lia. cbn [app skipn].
    rewrite firstn_app, Lo, Nat.sub_diag, firstn_all2 by lia. apply app_nil_r.
  - rewrite app_assoc. replace (n + n)%nat with (List.length (news ++ olds)) by (rewrite app_length; lia). apply stand_add.
Qed.
End Turns.
