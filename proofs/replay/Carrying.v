(** What [fill] accepts is so: windows that are carried along a loop. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Buffers.
Import ListNotations.
Open Scope Z_scope.

Section Carrying.
Context {V : Type} (Any : algebra V) (S : signature V) (ints : arrays) (c0 : context).
Notation models := (models Any S ints c0).
Notation right := (right Any S ints c0).
Notation statement_of := (statement_of Any S c0).
Notation alg := (alg Any S).
Notation gives := (gives ints).
Notation val c := (Index.value c []).
Notation values c := (map (Index.value c [])).
Implicit Types (g : goal) (c : context) (T : list (tensor V)) (us vs s : list term) (to : target) (h : how) (p q : loop_word).

(** * Terms that agree *)
Lemma worth_pushed c i vs : worth (Number i :: c) (Free 0 :: map lift vs) = i :: worth c vs.
Proof. apply worth_entered. Qed.

Lemma agree_right d t : forall xs vs us ts l, List.length xs = d -> agree d vs us t = true ->
  tensor_of Any S c0 (worth (xs ++ c0) vs) ts t l = tensor_of Any S c0 (worth (xs ++ c0) us) ts t l.
Proof.
  revert d. induction t; intros d xs vs us ts l D H; cbn [agree tensor_of] in H |- *; try discriminate;
    assert (Same : forall i, same_term (close d vs i) (close d us i) = true ->
      Index.value c0 (worth (xs ++ c0) vs) i = Index.value c0 (worth (xs ++ c0) us) i)
      by (intros j E; apply (same_term_value (xs ++ c0)) in E; subst d; rewrite !value_close in E; exact E);
    assert (Alike : forall b, same_predicate (close_predicate d vs b) (close_predicate d us b) = true ->
      Index.holds c0 (worth (xs ++ c0) vs) b = Index.holds c0 (worth (xs ++ c0) us) b)
      by (intros b E; apply (same_predicate_holds (xs ++ c0)) in E; subst d; rewrite !holds_close in E; exact E);
    split_and.
  - reflexivity.
  - reflexivity.
  - unfold scalar. rewrite (Same _ H). reflexivity.
  - exact (IHt d xs vs us ts l D H).
  - unfold prim1. rewrite (IHt d xs vs us ts l D H). reflexivity.
  - unfold prim2. rewrite (IHt1 d xs vs us ts l D H), (IHt2 d xs vs us ts l D H0). reflexivity.
  - unfold prim3. rewrite (IHt1 d xs vs us ts l D H), (IHt2 d xs vs us ts l D H1), (IHt3 d xs vs us ts l D H0). reflexivity.
  - unfold prim2. rewrite (IHt1 d xs vs us ts l D H), (IHt2 d xs vs us ts l D H0). reflexivity.
  - unfold gen. specialize (IHt _ (Number (hd 0 l) :: xs) _ _ ts (tl l) (f_equal Datatypes.S D) H0).
    cbn [app] in IHt. rewrite !worth_pushed in IHt. exact IHt.
  - unfold sum. rewrite (Same _ H). apply bigsum_ext. intros i _.
    specialize (IHt _ (Number (Z.of_nat i) :: xs) _ _ ts l (f_equal Datatypes.S D) H0).
    cbn [app] in IHt. rewrite !worth_pushed in IHt. exact IHt.
  - unfold guard. rewrite (Alike _ H), (IHt d xs vs us ts l D H0). reflexivity.
  - unfold select. rewrite (Alike _ H), (IHt1 d xs vs us ts l D H1), (IHt2 d xs vs us ts l D H0). reflexivity.
  - unfold get. rewrite (Same _ H), (Same _ H1). destruct (in_range _ _); [|reflexivity]. apply (IHt d xs vs us ts); assumption.
Qed.

(** * Rows that move *)
Lemma cell_right g c T us n w k i reads e : models g c T -> cell_ok g us n w k i reads e = true ->
  forall z, (0 <=? z) = true -> (z <? val c w) = true -> gives (int_of c0 (z :: worth c us) i) (flat [n; val c w] [k; z]).
Proof.
  intros M H z L U. unfold cell_ok in H. split_and.
  pose proof (index_gives Any S ints c0 _ _ T _ i reads _ e (models_iterating Any S ints c0 g c T w z M L U) H H0) as G.
  rewrite worth_entered, flat_term_value in G. cbn [map Index.value] in G. rewrite value_lift in G. exact G.
Qed.

Lemma row_right g c T us n w k lo hi lo' hi' d e x : models g c T -> row_ok g us n w k lo hi lo' hi' d e x = true ->
  ((0 <=? val c w) && (k + 1 =? k + 1)) && ((0 <=? k) && (k + 1 <? n)) = true /\
  gives (int_of c0 (worth c us) lo) (k * val c w) /\ gives (int_of c0 (worth c us) hi) ((k + 1) * val c w) /\
  gives (int_of c0 (worth c us) lo') 0 /\ gives (int_of c0 (worth c us) hi') (val c w) /\
  (forall i, (0 <=? i) = true -> (i <? val c w) = true -> gives (int_of c0 (i :: worth c us) d) (flat [n; val c w] [k; i])) /\
  (forall i, (0 <=? i) = true -> (i <? val c w) = true -> gives (int_of c0 (i :: worth c us) e) (flat [n; val c w] [k + 1; i])).
Proof.
  intros M H. unfold row_ok in H. destruct (bounds x) as [|r1 [|r2 [|r3 [|r4 [|]]]]]; try discriminate.
  destruct (cells_ x) as [|r5 [|r6 [|]]]; try discriminate. split_and.
  split; [exact (shown_holds M _ _ H)|].
  split; [exact (index_gives Any S ints c0 g c T us lo r1 _ _ M H9 H8)|].
  split; [exact (index_gives Any S ints c0 g c T us hi r2 _ _ M H7 H6)|].
  split; [exact (index_gives Any S ints c0 g c T us lo' r3 _ _ M H5 H4)|].
  split; [exact (index_gives Any S ints c0 g c T us hi' r4 _ _ M H3 H2)|].
  split; [exact (cell_right g c T us n w k d r5 _ M H1)|exact (cell_right g c T us n w (k + 1) e r6 _ M H0)].
Qed.

Lemma rows_right g c T us b n w p k xs (t : Z -> tensor V) : models g c T ->
  apart (known_of c (tensors g) T) (scratch_of c (spare g)) b = true -> rows_ok g us b n w p k xs = true ->
  turns (ints := ints) (known_of c (tensors g) T) (scratch_of c (spare g)) b (statement_of (worth c us) p)
    (keeps b n (val c w) n (Windows.moved k t)) (keeps b n (val c w) n (Windows.moved (n - 1) t)).
Proof.
  intros M D. revert p k. induction xs as [|x xs IH]; intros p k H; [destruct p; discriminate|]. cbn [rows_ok] in H.
  destruct p as [|p1 p2| | | | | | | |]; [destruct xs; discriminate| |destruct xs; discriminate..].
  destruct p1 as [| | | | | |b1 lo hi| | |]; try (destruct xs; discriminate).
  assert (Row_ : exists lo' hi' d e b2 b3, (xs = [] /\ p2 = LFor lo' hi' (LStore b2 d (VLoad b3 e)) /\
      String.eqb b1 b && String.eqb b2 b && String.eqb b3 b && (k + 2 =? n) && row_ok g us n w k lo hi lo' hi' d e x = true) \/
    (exists p, p2 = LSeq (LFor lo' hi' (LStore b2 d (VLoad b3 e))) p /\
      String.eqb b1 b && String.eqb b2 b && String.eqb b3 b && row_ok g us n w k lo hi lo' hi' d e x && rows_ok g us b n w p (k + 1) xs = true)).
  { destruct p2 as [|[| |lo' hi' [| | | | | | |b2 d [|b3 e| | | | |]| |]| | | | | | |] p|lo' hi' [| | | | | | |b2 d [|b3 e| | | | |]| |]| | | | | | |];
      try (destruct xs; discriminate).
    - exists lo', hi', d, e, b2, b3. right. exists p. split; [reflexivity|]. destruct xs; exact H.
    - exists lo', hi', d, e, b2, b3. left. destruct xs; [auto|discriminate]. }
  destruct Row_ as (lo' & hi' & d & e & b2 & b3 & [(-> & -> & K)|(p & -> & K)]); clear H; split_and;
    apply String.eqb_eq in H; repeat match goal with E : String.eqb _ _ = true |- _ => apply String.eqb_eq in E end; subst b1 b2 b3.
  - destruct (row_right g c T us n w k lo hi lo' hi' d e x M) as (Q & E1 & E2 & E3 & E4 & F1 & F2); [assumption|].
    apply Z.eqb_eq in H1. replace (n - 1) with (k + 1) by lia. cbn [Words.statement_of Words.value_of].
    exact (turns_row _ _ b n (val c w) _ _ _ _ _ _ k (k + 1) t D Q E1 E2 E3 E4 F1 F2).
  - destruct (row_right g c T us n w k lo hi lo' hi' d e x M) as (Q & E1 & E2 & E3 & E4 & F1 & F2); [assumption|].
    cbn [Words.statement_of Words.value_of].
    apply (turns_rows _ _ b n (val c w) _ _ _ _ _ _ k (k + 1) t _ _ D Q E1 E2 E3 E4 F1 F2). apply IH. assumption.
Qed.
(** * The loop *)
Lemma carried_right a m count rows extent reads lo hi sizes first bottom top hb hl ms h : right hb -> right hl -> right h ->
  right (Carried a m count rows extent reads lo hi sizes first bottom top hb hl ms h).
Proof.
  intros IB IL IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct reads as [|r1 [|r2 [|r3 [|r4 [|r5 [|]]]]]]; try discriminate. destruct o; [discriminate|]. destruct s as [|n' s]; [discriminate|].
  destruct p as [| | | |x [|n1 [|w1 [|]]] [|] [| |l u q| | | | | | |]| | | | |]; try discriminate.
  destruct t as [| | | | | | | |n t0| | | | | | | |]; try discriminate. destruct t0 as [| | | | | | | | | | | | |t0 t| | |]; try discriminate.
  destruct t0 as [| | | | | | | |n2 row| | | | | | | |]; try discriminate.
  cbv zeta in H. set (N := close (deep g) vs n) in *. set (g' := iterating N g) in *. set (w0 := close (deep g) us w1) in *.
  set (us' := Free 0 :: map lift us) in *. set (vs' := Free 0 :: map lift vs) in *.
  apply andb_true_iff in H as [H HF]. apply andb_true_iff in H as [H HB]. split_and.
  destruct (first_words count q) as [|[| | |b bg mv| | | | | |] [|[| | | | | |x' lf uf| | |] last| | | | | | | |]| | | | | | | |] eqn:Fw; try discriminate.
  split_and. apply String.eqb_eq in H8. subst x'. apply negb_true_iff in H6. assert (D := apart_right g c T x H5).
  apply (equals_value M) in H, H7. cbn [Index.value] in H.
  unfold filled. cbn [Words.statement_of part_of tensor_of map].
  rewrite <- !(value_closed Any S ints c0 g c T us _ M), H, H7. fold w0.
  apply (fills_gen_window (alg (ring to)) _ _ x (m + 1) (val c w0) _ _ (val c N) _ count (fun i => statement_of (i :: worth c us) q) _ _ _
    (fun y r => tensor_of Any S c0 (r :: y :: worth c vs) (stand Any T ks) row)
    (fun y z => tensor_of Any S c0 (y :: worth c vs) (z :: stand Any T ks) t)).
  - exact H6.
  - exact D.
  - exact (index_gives Any S ints c0 g c T us l r1 (Lit 0) lo M H4 H3).
  - exact (index_gives Any S ints c0 g c T us u r2 N hi M H2 H1).
  - intros y. rewrite <- more_words_of. exact H0.
  - intros y L U. rewrite <- first_words_of, Fw. cbn [Words.statement_of].
    assert (M' : models g' (Number y :: c) T) by exact (models_iterating Any S ints c0 g c T N y M L U).
    assert (G : known_of (Number y :: c) (tensors g') T = known_of c (tensors g) T) by apply known_of_lift.
    assert (X : scratch_of (Number y :: c) (spare g') = scratch_of c (spare g)) by apply scratch_of_lift.
    assert (W : val (Number y :: c) (lift w0) = val c w0) by apply value_lift.
    assert (Us : worth (Number y :: c) us' = y :: worth c us) by apply worth_entered.
    assert (Vs : worth (Number y :: c) vs' = y :: worth c vs) by apply worth_entered.
    rewrite <- W, <- G, <- X, <- Us. rewrite <- G, <- X in D.
    apply (turns_iteration (alg a) _ _ x (m + 1) m).
    + exact D.
    + exact (shown_holds M' _ _ H19).
    + exact (test_decides Any S ints c0 g' _ T us' b r3 (Cmp Eq (Free 0) (Lit 0)) first M' H18 H17).
    + exact (index_gives Any S ints c0 g' _ T us' lf r4 _ bottom M' H16 H15).
    + exact (index_gives Any S ints c0 g' _ T us' uf r5 _ top M' H14 H13).
    + intros Y. assert (M2 : models (assuming (Cmp Eq (Free 0) (Lit 0)) g') (Number y :: c) T) by (apply models_assuming; [exact Y|exact M']).
      pose proof (IB _ _ _ _ _ _ _ _ _ _ _ M2 H12) as F. unfold filled in F. cbn [part_of tensor_of] in F. rewrite Vs in F. exact F.
    + intros Y. assert (M2 : models (assuming (Not (Cmp Eq (Free 0) (Lit 0))) g') (Number y :: c) T) by (apply models_assuming; [exact Y|exact M']).
      pose proof (rows_right _ _ T us' x (m + 1) (lift w0) mv 0 ms
        (fun r => tensor_of Any S c0 (r :: y - 1 :: worth c vs) (stand Any T ks) row) M2 D H11) as F.
      replace (m + 1 - 1) with m in F by lia. exact F.
    + intros _ r _ _ k _. destruct M' as [(xs & E & Ln) _ _ _ _ _].
      pose proof (agree_right (Datatypes.S (deep g')) row (Number r :: xs) _ _ (stand Any T ks) k (f_equal Datatypes.S Ln) H10) as A.
      cbn [app] in A. rewrite <- E in A. unfold worth in A. cbn [map Index.value apply number nth] in A. rewrite !values_lift in A. exact A.
    + pose proof (IL _ _ _ _ _ _ _ _ _ _ _ M' H9) as F. unfold filled in F. cbn [part_of] in F.
      replace (worth (Number y :: c) (Lit m :: vs')) with (m :: y :: worth c vs) in F by (unfold worth in Vs |- *; cbn [map]; rewrite Vs; reflexivity).
      exact F.
  - intros y L U z. rewrite <- last_words_of.
    assert (M' : models (holding (Some (x, [Lit (m + 1); lift w0], None)) g') (Number y :: c) (z :: T))
      by (apply models_holding; exact (models_iterating Any S ints c0 g c T N y M L U)).
    pose proof (IH _ _ _ _ _ _ _ _ _ _ _ M' HF) as F. unfold filled in F.
    cbn [holding tensors spare known_of known_by under_layer lift_target layers into extents ring held_before kept_of place_of keep move part_of map] in F.
    unfold g' in F. cbn [iterating assuming entered tensors spare] in F.
    rewrite known_of_lift, scratch_of_lift, value_lift, values_lift, kept_of_lift, place_of_lift, stand_held in F.
    unfold us', vs' in F. rewrite !worth_entered in F. exact F.
Qed.
End Carrying.
