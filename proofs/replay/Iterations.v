(** What [fill] accepts is so: iterations, whose states lie in memory from one round to the next. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Turns.
Import ListNotations.
Open Scope Z_scope.

Section Iterations.
Context {V : Type} (Any : algebra V) (S : signature V) (ints : arrays) (c0 : context).
Notation models := (models Any S ints c0).
Notation right := (right Any S ints c0).
Notation tensor_of := (tensor_of Any S c0).
Notation statement_of := (statement_of Any S c0).
Notation starts_of := (starts_of Any S c0).
Notation steps_of := (steps_of Any S c0).
Notation stand := (stand Any).
Notation values c := (map (Index.value c [])).
Notation carries := (carries (V := V) (ints := ints)).
Notation apart_again := (apart_again (V := V)).
Notation together := (together Any).
Implicit Types (g : goal) (c : context) (T : list (tensor V)) (us vs s : list term) (to : target) (o : part) (x : cells_word) (h : how).

(** * The beginning *)
Definition begins_right (ss : beginnings) : Prop := forall Hs out hs g us p vs ks sw g1 rest c T, models g c T ->
  (forall x, In x hs -> In (home_of c out x) Hs) -> settled Hs out (scratch_of c (spare g)) -> begin ss hs g out us p vs ks sw = Some (g1, rest) ->
  tensors g1 = rev (map (fun x => Some (home_entry x (Lit 0))) hs) ++ tensors g /\ List.length hs = how_many sw /\
  exists P, (forall m, run ints (statement_of (worth c us) p) m = run ints (Seq P (statement_of (worth c us) rest)) m) /\
    carries Hs out (scratch_of c (spare g)) (known_of c (tensors g) T) P (known_of c (tensors g1) (starts_of (worth c vs) (stand T ks) sw [] ++ T)).

Lemma starts_app bound ts sw acc : starts_of bound ts sw acc = starts_of bound ts sw [] ++ acc.
Proof.
  revert acc. induction sw as [|t u sw IH]; intros acc; [reflexivity|].
  change (starts_of bound ts (SState t u sw) acc) with (starts_of bound ts sw (tensor_of bound ts t :: acc)).
  change (starts_of bound ts (SState t u sw) []) with (starts_of bound ts sw [tensor_of bound ts t]).
  rewrite IH, (IH [tensor_of bound ts t]), <- app_assoc. reflexivity.
Qed.

Lemma stand_new T ks t : stand (t :: T) (map Datatypes.S ks) = stand T ks.
Proof. unfold stand. rewrite map_map. reflexivity. Qed.

Lemma begun_right : begins_right Begun.
Proof.
  intros Hs out [|x hs] g us p vs ks [|a u sw] g1 rest c T M Hh Se E; try discriminate. injection E as <- <-. repeat split.
  exists Skip. split; [reflexivity|apply carries_skip].
Qed.

Lemma apart_clear g c T b : apart_word g b = true -> clear (known_of c (tensors g) T) (scratch_of c (spare g)) b /\
  forall z, In z (known_of c (tensors g) T) -> name z <> b.
Proof.
  unfold apart_word. intros [F K]%andb_true_iff. split; [apply clear_right, K|]. intros z I. apply (free_right g c T) in F.
  rewrite forallb_forall in F. specialize (F z I). apply negb_true_iff, String.eqb_neq in F. exact F.
Qed.

Lemma begins_one filled a b d same there_before in_each count h ss :
  right h -> begins_right ss -> begins_right (Begins filled a b d same there_before in_each count h ss).
Proof.
  intros IH IB Hs out hs g us p vs ks sw g1 rest c T M Hh Se E. destruct hs as [|x hs]; [discriminate|]. destruct sw as [|t u sw]; [discriminate|].
  cbn [begin] in E. pose proof (split_words_run Any S ints c0 (worth c us) count p) as Sp. destruct (split_words count p) as [first others]. cbn [fst snd] in Sp.
  match type of E with (if ?b then _ else _) = _ => destruct b eqn:A; [|discriminate] end.
  apply andb_true_iff in A as [A F]. apply andb_true_iff in A as [A Eb]. apply String.eqb_eq in Eb. subst b.
  set (e := Some (home_entry x (Lit 0))) in *. set (v := tensor_of (worth c vs) (stand T ks) t).
  assert (M' : models (holding e g) c (v :: T)) by (apply models_holding, M).
  assert (Hx : In (home_of c out x) Hs) by (apply Hh; left; reflexivity).
  destruct (IB Hs out hs (holding e g) us others vs (map Datatypes.S ks) sw g1 rest c (v :: T) M' (fun y I => Hh y (or_intror I)) Se E)
    as (Tg & Ln & P & Rn & Cr).
  destruct (apart_clear g c T _ A) as [Cl Nm].
  split. { rewrite Tg. cbn [map rev holding tensors]. rewrite <- app_assoc. reflexivity. }
  split; [cbn; congruence|]. exists (Seq (statement_of (worth c us) first) P). split.
  - intros m. rewrite Sp. cbn [run]. destruct (run ints (statement_of (worth c us) first) m) as [m'|]; [|reflexivity]. cbn [bind]. rewrite Rn. reflexivity.
  - change (starts_of (worth c vs) (stand T ks) (SState t u sw) []) with (starts_of (worth c vs) (stand T ks) sw [v]).
    rewrite starts_app, <- app_assoc. cbn [app]. rewrite stand_new in Cr. cbn [holding spare] in Cr.
    apply (carries_seq _ _ _ _ (known_of c (tensors (holding e g)) (v :: T))); [|exact Cr]. clear Cr Rn P.
    assert (New : forall z, In z (known_of c (tensors (holding e g)) (v :: T)) -> z = known_by c (home_entry x (Lit 0)) v \/ In z (known_of c (tensors g) T)).
    { intros z [<-|I]; auto. }
    destruct filled.
    + destruct first as [|first q| | | | | | | |]; try discriminate. destruct first as [| | | | |y init| | | |]; try discriminate.
      destruct (beginning a init) as [k|] eqn:B; [|rewrite andb_false_r in F; discriminate].
      apply andb_true_iff in F as [F F0]. apply andb_true_iff in F as [F F1]. apply andb_true_iff in F as [F F2].
      apply String.eqb_eq in F. subst y. apply negb_true_iff in F2. apply String.eqb_neq in F2 as N2.
      unfold is_whole in F1. apply andb_true_iff in F1 as [Rm Ls]. apply (list_eqb_eq _ term_eqb_eq) in Rm. destruct (through x) eqn:Th; [|discriminate].
      apply (carries_makes _ _ _ (known_of c (tensors g) T) _ _ (home_of c out x) v _ Hx).
      * exact N2.
      * cbn. rewrite F2. reflexivity.
      * cbn [home_of cells_at all_of]. rewrite Th, Rm. reflexivity.
      * exact (no_scratch _ _ _ Se).
      * exact (not_out _ _ _ Se).
      * exact Cl.
      * intros z I. auto.
      * cbn [Words.statement_of home_of in_buffer all_of]. apply makes_reset; [exact (apart_right g c T _ A)|].
        apply (makes_right Any S ints c0 g c T (of_buffer x) a init k); [exact M|exact A|exact B|]. exact (IH _ _ _ _ _ _ _ _ _ _ _ M F0).
      * intros z I. destruct (New z I) as [->|J]; [right; cbn; auto|auto].
    + assert (U := update_right Any S ints c0 h g c T _ _ _ _ _ _ _ _ M F). unfold updated in U.
      cbn [begins_as of_buffer of_state of_room through map] in U.
      apply (carries_update _ _ _ _ _ (home_of c out x) _ _ _ _ Hx (no_scratch _ _ _ Se) (not_out _ _ _ Se) Cl
        (one_to_one _ _ _ Se _ Hx) (fun z I Q => match Nm z I Q with end) U).
      intros z I. destruct (New z I) as [->|J]; [right|left; auto].
      cbn [home_entry known_by name dims cell_at held present home_of in_buffer all_of cells_at]. repeat split.
      intros l _ Q. cbn [hold_at holds_at andb] in Q. rewrite andb_true_r in Q. exact Q.
Qed.

(** * States as they are known *)
Fixpoint states_known c (xs : list cells_word) (ts : list (tensor V)) (r : Z) : list (known V) :=
  match xs, ts with x :: xs, t :: ts => state_at c x r t :: states_known c xs ts r | _, _ => [] end.

Lemma entries_known c r z xs ts bs T m : (forall e, Index.value c e r = z) -> List.length xs = List.length ts ->
  (Forall (holds m) (known_of c (map (fun x => Some (home_entry x r)) xs ++ bs) (ts ++ T)) <->
    Forall (holds m) (states_known c xs ts z ++ known_of c bs T)).
Proof.
  intros E. revert ts. induction xs as [|x xs IH]; intros [|t ts] L; try discriminate; [reflexivity|].
  cbn [map app known_of states_known]. rewrite !Forall_cons_iff, (IH ts) by (cbn in L; lia). rewrite (entry_state c x r z t m E). reflexivity.
Qed.

Lemma states_lift c i xs ts r : states_known (Number i :: c) (map lift_cells xs) ts r = states_known c xs ts r.
Proof.
  revert ts. induction xs as [|x xs IH]; intros [|t ts]; cbn [map states_known]; try reflexivity. rewrite state_lift, IH. reflexivity.
Qed.

Lemma unknown_app c n bs ts T : List.length ts = n -> known_of c (repeat None n ++ bs) (ts ++ T) = known_of c bs T.
Proof. intros <-. induction ts as [|t ts IH]; [reflexivity|]. exact IH. Qed.

Lemma known_app c a b ts T : List.length a = List.length ts -> known_of c (a ++ b) (ts ++ T) = known_of c a ts ++ known_of c b T.
Proof.
  revert ts. induction a as [|[x|] a IH]; intros [|t ts] L; try discriminate; [reflexivity| |]; cbn [app known_of]; rewrite IH by (cbn in L; lia); reflexivity.
Qed.

Lemma apart_together k ts : List.length ts = Datatypes.S k -> apart_again k (together k ts) = ts.
Proof.
  revert ts. induction k as [|k IH]; intros [|t ts] L; try discriminate; cbn in L |- *.
  - destruct ts; [reflexivity|discriminate].
  - rewrite IH by lia. reflexivity.
Qed.

Lemma apart_length k y : List.length (apart_again k y) = Datatypes.S k.
Proof. revert y. induction k as [|k IH]; intros y; [reflexivity|]. cbn. rewrite IH. reflexivity. Qed.

(** * Homes *)
Lemma homes_right ss : forall g to s us used hs g' used' c T, models g c T -> homes_of ss g to s us used = Some (hs, g', used') ->
  tensors g' = tensors g /\ models g' c T /\ deep g' = deep g /\
  (forall m, there (V := V) m (scratch_of c (spare g)) -> there m (scratch_of c (spare g'))) /\
  (forall y, In y (map fst (spare g')) -> In y (map fst (spare g))) /\
  (forall y, In y (map fst (spare g)) -> In y (map fst (spare g')) \/ In y (map of_buffer hs)) /\
  (forall x, In x hs -> of_buffer x <> into to -> of_room x = of_state x /\ through x = [] /\ In (of_buffer x) (map fst (spare g)) /\
    ~ In (of_buffer x) (map fst (spare g')) /\
    forall m, there (V := V) m (scratch_of c (spare g)) -> option_map size (m (of_buffer x)) = Some (room (values c (of_state x)))) /\
  (forall x, In x hs -> of_buffer x = into to -> used' = true /\ of_room x = extents to /\ through x = layers to /\
    values c (of_state x) = values c s /\ forallb keeps_each (layers to) = true /\ held_before to <> Adding) /\
  (used = true -> used' = true).
Proof.
  induction ss as [|filled a b d same held changed count h ss IH]; intros g to s us used hs g' used' c T M E; cbn [homes_of] in E.
  - injection E as <- <- <-. split; [reflexivity|]. split; [exact M|]. split; [reflexivity|]. split; [trivial|]. split; [trivial|]. split; [tauto|].
    split; [easy|]. split; [easy|trivial].
  - destruct (String.eqb_spec b (into to)) as [->|N].
    + match type of E with (if ?b then _ else _) = _ => destruct b eqn:A; [|discriminate] end.
      destruct (homes_of ss g to s us true) as [[[hs1 g1] used1]|] eqn:R; [|discriminate]. injection E as <- <- <-.
      destruct (IH _ _ _ _ _ _ _ _ c T M R) as (E1 & E2 & E3 & E4 & E5 & E6 & E7 & E8 & E9). split_and.
      repeat (split; [assumption|]). split. { intros y Y. destruct (E6 y Y); cbn; auto. }
      split. { intros x [<-|I] Nx; [contradiction|]. exact (E7 x I Nx). }
      split; [|intros _; apply E9; reflexivity].
      intros x [<-|I] Ex; [|exact (E8 x I Ex)]. cbn [of_room through of_state]. split; [apply E9; reflexivity|]. repeat (split; [reflexivity|]).
      split; [symmetry; exact (same_extents_value Any S ints c0 g c T _ _ _ M H0)|]. split; [assumption|].
      intros Q. rewrite Q in *. discriminate.
    + destruct (List.find _ (spare g)) as [[y r]|] eqn:F; [|discriminate].
      destruct (same_room g r d same) eqn:Sr; [|discriminate].
      set (g0 := sparing _ g) in E. destruct (homes_of ss g0 to s us used) as [[[hs1 g1] used1]|] eqn:R; [|discriminate]. injection E as <- <- <-.
      destruct (IH _ _ _ _ _ _ _ _ c T (models_sparing Any S ints c0 g c T _ M) R) as (E1 & E2 & E3 & E4 & E5 & E6 & E7 & E8 & E9).
      cbn [g0 sparing tensors deep spare] in *.
      assert (Wo : forall m, there (V := V) m (scratch_of c (spare g)) -> there m (scratch_of c (filter (fun z => negb (String.eqb (fst z) b)) (spare g)))).
      { intros m Tm. rewrite <- (without_of c b (spare g)). apply without_there, Tm. }
      assert (In0 : forall y, In y (map fst (filter (fun z => negb (String.eqb (fst z) b)) (spare g))) -> In y (map fst (spare g)) /\ y <> b).
      { intros z Z. apply in_map_iff in Z as (w & <- & Z). apply filter_In in Z as [Z Q]. apply negb_true_iff, String.eqb_neq in Q. split; [apply in_map, Z|exact Q]. }
      repeat (split; [first [assumption|congruence]|]).
      split; [intros m Tm; apply E4, Wo, Tm|]. split; [intros z Z; apply In0, E5, Z|].
      split. { intros z Z. destruct (string_dec z b) as [->|Nz]; [right; left; reflexivity|].
        apply in_map_iff in Z as (w & <- & Z). destruct (E6 (fst w)) as [J|J]; [|left; exact J|right; right; exact J].
        apply in_map, filter_In. split; [exact Z|]. apply negb_true_iff, String.eqb_neq, Nz. }
      split.
      { intros x [<-|I] Nx; cbn [of_room of_state through of_buffer].
        - repeat (split; [reflexivity|]). assert (L := lookup_of c b (spare g) y r F).
          split. { apply find_some in F as [F Q]. cbn in Q. apply String.eqb_eq in Q. subst y. apply (in_map fst) in F. exact F. }
          split. { intros J. apply E5, In0 in J. apply (proj2 J). reflexivity. }
          intros m Tm. rewrite (proj1 (lookup_there m b _ _ L Tm)). rewrite (same_room_value Any S ints c0 g c T _ _ _ M Sr). reflexivity.
        - destruct (E7 x I Nx) as (Q1 & Q2 & Q3 & Q4 & Q5). repeat (split; [assumption|]). split; [apply In0, Q3|]. split; [exact Q4|].
          intros m Tm. apply Q5, Wo, Tm. }
      split; [|exact E9]. intros x [<-|I] Ex; [contradiction|exact (E8 x I Ex)].
Qed.

(** The value's home is all of the goal. *)
Lemma keeps_all c ls : forallb keeps_each ls = true -> kept_of c ls = all.
Proof.
  induction ls as [|x ls IH]; [reflexivity|]. cbn [forallb kept_of]. intros [K H]%andb_true_iff. rewrite (IH H).
  destruct x as [i| | | |m|d|d|f|n [d|]|n|n m]; try discriminate; reflexivity.
Qed.

Lemma home_buffers c out hs : buffers (map (home_of c out) hs) = map of_buffer hs.
Proof. unfold buffers. rewrite map_map. reflexivity. Qed.

Lemma place_entries l c to : place_of (entries l c) (extents (times (List.length l) lift_target to)) (layers (times (List.length l) lift_target to)) =
  place_of c (extents to) (layers to).
Proof.
  revert c to. induction l as [|i l IH]; intros c to; [reflexivity|]. change (entries (i :: l) c) with (entries l (Number i :: c)). cbn [List.length times].
  rewrite IH. cbn [lift_target extents layers]. apply place_of_lift.
Qed.

Lemma flat_one_to_one (s' : shape) : injective (fun e => inbox e s') (flat s').
Proof. intros l l' B B'. apply flat_injective; assumption. Qed.

Lemma skip_add {U} a b (l : list U) : skipn a (skipn b l) = skipn (b + a) l.
Proof. revert l. induction b as [|b IH]; intros [|y l]; try reflexivity; [apply skipn_nil|exact (IH l)]. Qed.

Lemma Z2Nat_id_max z : Z.of_nat (Z.to_nat z) = Z.max z 0.
Proof. lia. Qed.

Lemma iterated_right ss reads lo reads' hi ms h : begins_right ss -> right h -> right (Iterated ss reads lo reads' hi ms h).
Proof.
  intros IB IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct t as [| | | | | | | | | | | | | | | |n0 k sw u]; try discriminate.
  destruct (homes_of ss g to s us false) as [[[hs g'] used]|] eqn:Eh; [|discriminate].
  destruct (homes_right ss g to s us false hs g' used c T M Eh) as (Et & M' & Dp & Th & Sub & Sup & Hscratch & Hgoal & _).
  destruct (begin ss hs g' (into to) us p vs ks sw) as [[g1 rest]|] eqn:Eb; [|discriminate].
  pose proof (split_words_run Any S ints c0 (worth c us) 1 rest) as Sp. destruct (split_words 1 rest) as [first last]. cbn [fst snd] in Sp.
  destruct first as [| |l u' q| | | | | | |]; try discriminate.
  set (n := close (deep g) vs n0) in *. set (K := how_many sw) in *.
  apply andb_true_iff in H as [H Last]. apply andb_true_iff in H as [H Turn]. apply andb_true_iff in H as [H Hi2]. apply andb_true_iff in H as [H Hi1].
  apply andb_true_iff in H as [H Lo2]. apply andb_true_iff in H as [H Lo1]. apply andb_true_iff in H as [Kk Cn]. apply Nat.eqb_eq in Kk.
  assert (Lo := index_gives Any S ints c0 g c T us l reads (Lit 0) lo M Lo1 Lo2).
  assert (Hi := index_gives Any S ints c0 g c T us u' reads' n hi M Hi1 Hi2).
  match type of Turn with match ?t with _ => _ end = _ => destruct t as [[ge pe]|] eqn:Tu; [|discriminate] end.
  destruct pe; try discriminate. apply andb_true_iff in Turn as [Ents Around].
  apply (list_eqb_eq _ (option_eqb_eq _ entry_eqb_eq)) in Ents, Around.
  set (out := into to) in *. set (Hs := map (home_of c out) hs). set (X := scratch_of c (spare g')). set (X0 := scratch_of c (spare g)).
  set (ts := stand T ks). set (bound := worth c vs). set (N := Index.value c [] n).
  set (start := together k (starts_of bound ts sw [])). set (step := fun i y => together k (steps_of (i :: bound) (apart_again k y ++ ts) sw [])).
  set (at_ := fun m => apart_again k (rounds m start step)).
  set (Inv := fun m : nat => states_known c (rev hs) (at_ m) (Z.of_nat m) ++ known_of c (tensors g') T).
  assert (Names : forall ys, map fst (scratch_of c ys) = map fst ys) by (intros ys; unfold scratch_of; rewrite map_map; reflexivity).
  (* what is fine about the homes *)
  assert (Set_ : apart (known_of c (tensors g) T) X0 out = true -> injective (live (values c s) (kept_of c (layers to))) (place_of c (extents to) (layers to)) ->
    settled Hs out X).
  { intros Ap J. assert (No : ~ In out (map fst (spare g))).
    { rewrite <- (Names (spare g)). exact (proj2 (apart_names _ _ _ Ap)). }
    split.
    - unfold X. rewrite Names. unfold Hs. rewrite home_buffers. intros y Y Yb. apply in_map_iff in Yb as (x & <- & Ix).
      destruct (string_dec (of_buffer x) out) as [E|E]; [apply No; rewrite <- E; apply Sub, Y|].
      destruct (Hscratch x Ix E) as (_ & _ & _ & Nx & _). exact (Nx Y).
    - unfold X. rewrite Names. intros Y. apply No, Sub, Y.
    - intros Hm I. unfold Hs in I. apply in_map_iff in I as (x & <- & Ix). cbn [home_of all_of cells_at].
      destruct (string_dec (of_buffer x) out) as [E|E].
      + destruct (Hgoal x Ix E) as (_ & -> & -> & -> & Ks & _). rewrite (keeps_all c _ Ks) in J.
        intros e e' B B'. apply J; split; auto.
      + destruct (Hscratch x Ix E) as (-> & -> & _). apply flat_one_to_one. }
  assert (Sc : scratch_homes (V := V) Hs X0 X out).
  { split; [|split; [|split]].
    - intros m Tm. split; [apply Th, Tm|]. intros Hm I Nb. unfold Hs in I. apply in_map_iff in I as (x & <- & Ix). cbn [home_of in_buffer] in Nb.
      destruct (Hscratch x Ix Nb) as (Rm & Ls & _ & _ & Sz). cbn [home_of whole cells_at all_of in_buffer]. rewrite Rm, Ls.
      apply String.eqb_neq in Nb. rewrite Nb. repeat split. exact (Sz m Tm).
    - unfold X0, X. rewrite !Names. unfold Hs. rewrite home_buffers. exact Sup.
    - unfold X0, X. rewrite !Names. exact Sub.
    - unfold X0. rewrite Names. intros Hm I. unfold Hs in I. apply in_map_iff in I as (x & <- & Ix). cbn [home_of in_buffer].
      destruct (string_dec (of_buffer x) out) as [E|E]; [right; exact E|left]. apply (Hscratch x Ix E). }
  assert (Lat : forall m, List.length (at_ m) = K) by (intros m; unfold at_; rewrite apart_length; exact Kk).
  (* a round *)
  assert (Round : settled Hs out X -> List.length hs = K -> forall i, 0 <= i < N ->
    carries Hs out X (Inv (Z.to_nat i)) (statement_of (i :: worth c us) q) (Inv (Datatypes.S (Z.to_nat i)))).
  { intros Se Lh i Bi. set (ci := Number i :: c). set (olds := at_ (Z.to_nat i)).
    set (news := steps_of (i :: bound) (olds ++ ts) sw []).
    assert (Ln : List.length news = K) by (unfold news; rewrite steps_length; cbn; lia).
    assert (Next : at_ (Datatypes.S (Z.to_nat i)) = news).
    { unfold at_ at 1. cbn [rounds]. unfold step at 1. rewrite Z2Nat.id by lia. apply apart_together. exact (eq_trans Ln (eq_sym Kk)). }
    assert (Mi : models (iterating n g') ci T) by (apply models_iterating; [exact M'|apply Z.leb_le; lia|apply Z.ltb_lt; lia]).
    match type of Tu with turn _ _ _ ?gg _ _ _ _ _ = _ => set (gr := gg) in *; assert (Mr : models gr ci (news ++ olds ++ T)) end.
    { assert (Q := models_assuming Any S ints c0 _ ci T True_ eq_refl Mi). destruct Q as [Q1 Q2 Q3 Q4 Q5 Q6]. split; auto.
      cbn [gr knowing tensors]. rewrite !app_length, repeat_length, rev_length, !map_length, Ln, Lh. unfold olds. rewrite Lat.
      rewrite <- (many_of _ _ _ _ _ _ _ M'). reflexivity. }
    assert (Sl : scratch_of ci (spare gr) = X) by apply scratch_of_lift.
    assert (Ho : forall x, In x (map lift_cells hs) -> In (home_of ci out x) Hs).
    { intros x Ix. apply in_map_iff in Ix as (y & <- & Iy). unfold ci. rewrite home_of_lift. apply in_map, Iy. }
    assert (Ms : makes_step Any S c0 ci (news ++ olds ++ T) (Free 0 :: map lift vs) ks sw K).
    { intros j t Ej. assert (Lj : (j <= K)%nat).
      { clear - Ej. subst K. revert j Ej. induction sw as [|a b sw IH]; intros [|j] E; cbn in *; try easy; try lia. specialize (IH j E). lia. }
      rewrite (round_stands Any news olds T ks K j Ln (Lat _) Lj). unfold ci. rewrite worth_entered. fold bound ts.
      rewrite nth_error_app1; [exact (steps_nth Any S c0 (i :: bound) (olds ++ ts) sw [] j t Ej)|].
      rewrite Ln. assert (0 < K)%nat by lia. unfold K in *. lia. }
    rewrite <- Sl in Se.
    destruct (turn_right Any S ints c0 ms Hs out _ _ _ _ _ _ _ _ _ _ ci (news ++ olds ++ T) Mr Ho Se Ms Tu) as (_ & Lg & Cr).
    specialize (Cr _ (carries_skip Hs out _ _)). rewrite Sl in Cr.
    assert (Wc : worth ci (Free 0 :: map lift us) = i :: worth c us) by apply worth_entered. rewrite Wc in Cr.
    refine (carries_known _ _ _ _ _ _ _ _ _ _ Cr).
    - intros m Hm. cbn [gr knowing tensors]. rewrite unknown_app by exact Ln. rewrite <- map_rev.
      apply (entries_known ci (Free 0) i (rev (map lift_cells hs)) olds _ T m (fun _ => eq_refl)).
      { rewrite rev_length, map_length. unfold olds. rewrite Lat. exact Lh. }
      unfold ci. rewrite <- map_rev, states_lift, known_of_lift. unfold Inv in Hm. rewrite Z2Nat.id in Hm by lia. exact Hm.
    - intros m Hm. unfold Inv. rewrite Next. replace (Z.of_nat (Datatypes.S (Z.to_nat i))) with (i + 1) by lia.
      rewrite <- (states_lift c i), <- (known_of_lift c (Number i) (tensors g') T). fold ci.
      assert (Lge : List.length (tensors ge) = List.length (news ++ olds ++ T)) by (rewrite Lg; symmetry; exact (many_of _ _ _ _ _ _ _ Mr)).
      rewrite !app_length, Ln in Lge. unfold olds in Lge. rewrite Lat in Lge. fold olds in Lge.
      rewrite <- (firstn_skipn K (tensors ge)), Ents in Hm.
      rewrite <- (firstn_skipn K (skipn K (tensors ge))) in Hm. rewrite <- map_rev in Hm.
      rewrite (known_app ci _ _ news) in Hm by (rewrite map_length, rev_length, map_length; lia).
      rewrite (known_app ci (firstn K (skipn K (tensors ge))) _ olds) in Hm
        by (rewrite firstn_length, skipn_length; unfold olds; rewrite Lat; lia).
      assert (Ar : skipn K (skipn K (tensors ge)) = map (option_map lift_entry) (tensors g')).
      { rewrite skip_add. exact Around. }
      rewrite Ar in Hm. apply Forall_app in Hm as [Hn Hm]. apply Forall_app in Hm as [_ Hm].
      pose proof (proj1 (entries_known ci (Op Add (Free 0) (Lit 1)) (i + 1) (rev (map lift_cells hs)) news [] [] m (fun _ => eq_refl)
        ltac:(rewrite rev_length, map_length; lia))) as Q.
      rewrite !app_nil_r in Q. cbn [known_of] in Q. specialize (Q Hn). rewrite <- map_rev in Q.
      apply Forall_app. split; assumption. }
  unfold filled. fold out X0. intros Ap J. specialize (Set_ Ap J).
  destruct (IB Hs out hs g' us p vs ks sw g1 rest c T M' (fun x I => in_map _ _ _ I) Set_ Eb) as (Tg & Lh & P & Rp & Cp).
  fold X in Cp. specialize (Round Set_ Lh). rewrite Et in Cp at 1.
  assert (Cl := carries_for Hs out X Inv _ _ (fun i => statement_of (i :: worth c us) q) N Lo Hi Round).
  assert (C0 : carries Hs out X (known_of c (tensors g) T) (Seq P (statement_of (worth c us) (LFor l u' q))) (Inv (Z.to_nat N))).
  { apply (carries_seq _ _ _ _ (Inv 0%nat)); [|exact Cl]. refine (carries_known _ _ _ _ _ _ _ _ (fun _ H => H) _ Cp).
    intros m Hm. rewrite Tg, <- map_rev in Hm.
    assert (L0 : at_ 0%nat = starts_of (worth c vs) (stand T ks) sw []).
    { unfold at_. cbn [rounds]. apply apart_together. rewrite starts_length. cbn. fold K. lia. }
    apply (entries_known c (Lit 0) 0) in Hm; [|reflexivity|rewrite rev_length, starts_length; cbn; lia]. unfold Inv. rewrite L0. exact Hm. }
  set (olds := at_ (Z.to_nat N)) in *.
  match type of Last with context [fill h ?gg] => set (ga := gg) in * end.
  assert (Ma : models ga c (olds ++ T)).
  { destruct M' as [Q1 Q2 Q3 Q4 Q5 Q6]. split; auto. cbn [ga knowing tensors]. rewrite !app_length, rev_length, map_length, Q4. unfold olds. rewrite Lat. lia. }
  assert (Known : forall m, Forall (holds m) (Inv (Z.to_nat N)) -> Forall (holds m) (known_of c (tensors ga) (olds ++ T))).
  { intros m Hm. cbn [ga knowing tensors]. rewrite <- map_rev.
    apply (entries_known c (Op Max n (Lit 0)) (Z.of_nat (Z.to_nat N))); [|rewrite rev_length; unfold olds; rewrite Lat; exact Lh|exact Hm].
    intros e. rewrite Z2Nat_id_max. cbn [Index.value apply]. rewrite <- value_at_value, (closed_value c n e Cn). fold N. lia. }
  assert (Ten : tensor_of (worth c vs) (stand T ks) (EIterate n0 k sw u) =
    tensor_of (worth c vs) (stand (olds ++ T) (seq 0 K ++ map (Nat.add K) ks)) u).
  { rewrite stand_app, stand_seq by (rewrite app_length; unfold olds; rewrite Lat; lia). cbn [skipn].
    rewrite firstn_app. unfold olds at 2. rewrite Lat, Nat.sub_diag, firstn_all2 by (unfold olds; rewrite Lat; lia). cbn [firstn]. rewrite app_nil_r.
    assert (Sa : stand (olds ++ T) (map (Nat.add K) ks) = stand T ks).
    { replace K with (List.length olds) by apply Lat. apply stand_add. }
    rewrite Sa. cbn [Words.tensor_of]. unfold iterated. rewrite <- (value_closed Any S ints c0 g c T vs n0 M). reflexivity. }
  cbn [part_of]. rewrite Ten.
  assert (Run : forall m, run ints (statement_of (worth c us) p) m =
    run ints (Seq (Seq P (statement_of (worth c us) (LFor l u' q))) (statement_of (worth c us) last)) m).
  { intros m. rewrite Rp. cbn [run]. destruct (run ints P m) as [m'|]; [|reflexivity]. cbn [bind]. exact (Sp m'). }
  revert Ap J. apply (fills_run _ _ _ _ _ _ _ _ _ _ _ Run).
  destruct used.
  - destruct h; try discriminate. destruct last; try discriminate. split_and. apply negb_true_iff in H.
    rewrite (keeps_all c _ H1). apply (fills_state _ Hs _ X0 X _ _ (known_of c (tensors ga) (olds ++ T)) _ _ _ _ _ Sc).
    + intros _ _. apply (carries_seq _ _ _ _ (Inv (Z.to_nat N))); [exact C0|]. refine (carries_known _ _ _ _ _ _ _ _ (fun _ H => H) Known (carries_skip _ _ _ _)).
    + destruct (held_before to); discriminate.
    + reflexivity.
    + intros Hm I E. unfold Hs in I. apply in_map_iff in I as (x & <- & Ix). cbn [home_of in_buffer] in E. destruct (Hgoal x Ix E) as (_ & Rm & Ls & Ds & _).
      cbn [home_of whole all_of cells_at]. rewrite E, String.eqb_refl, Rm, Ls, Ds. auto.
    + intros m Hm l' B. destruct (among_models Any S ints c0 ga c (olds ++ T) s l' Ma B) as [Ll Mm].
      apply (same_cell_right Any S ints c0 _ _ (olds ++ T) _ _ _ _ _ _ _ _ m Mm) in H0.
      * rewrite Ll in H0. rewrite cell_value in H0. unfold new_indices in H0. rewrite entries_values in H0.
        rewrite place_entries in H0. rewrite H0. unfold worth. rewrite values_entries. reflexivity.
      * cbn [among assuming tensors]. rewrite tensors_entered, Ll, known_entries. exact Hm.
  - apply andb_true_iff in Last as [Ap2 Last].
    apply (fills_of_states _ Hs _ X0 X _ _ (Inv (Z.to_nat N)) _ _ _ _ _ Sc (fun _ _ => C0) _ (known_of c (tensors ga) (olds ++ T))).
    + intros Hm I E. unfold Hs in I. apply in_map_iff in I as (x & <- & Ix). destruct (Hgoal x Ix E) as (Q & _). discriminate.
    + exact Known.
    + intros _. exact (apart_right ga c (olds ++ T) _ Ap2).
    + exact (IH _ _ _ _ _ _ _ _ _ _ _ Ma Last).
Qed.
End Iterations.
