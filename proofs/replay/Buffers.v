(** What [fill] accepts is so: temporaries, and terms of two parts. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Filled.
Import ListNotations.
Open Scope Z_scope.

Section Buffers.
Context {V : Type} (Any : algebra V) (S : signature V) (ints : arrays) (c0 : context).
Notation models := (models Any S ints c0).
Notation right := (right Any S ints c0).
Notation statement_of := (statement_of Any S c0).
Notation alg := (alg Any S).
Notation values c := (map (Index.value c [])).
Implicit Types (g : goal) (c : context) (T : list (tensor V)) (us vs s : list term) (to : target) (o : part) (h : how) (p q : loop_word).

(** * Statements in a row *)
Lemma first_words_of b n p : statement_of b (first_words n p) = take n (statement_of b p).
Proof.
  revert p. induction n as [|n IH]; intros p; [destruct p; reflexivity|].
  destruct p as [|p q| | | | | | | |]; destruct n as [|n]; try reflexivity.
  change (first_words _ (LSeq p q)) with (LSeq p (first_words (Datatypes.S n) q)). cbn [Words.statement_of]. rewrite IH. reflexivity.
Qed.

Lemma last_words_of b n p : statement_of b (last_words n p) = drop n (statement_of b p).
Proof. revert p. induction n as [|n IH]; intros p; destruct p; cbn [last_words Words.statement_of drop]; try reflexivity. apply IH. Qed.

Lemma more_words_of b n p : more_words n p = longer n (statement_of b p).
Proof.
  revert p. induction n as [|n IH]; intros p; [destruct p; reflexivity|].
  destruct p as [|p q| | | | | | | |]; destruct n as [|n]; try reflexivity. exact (IH q).
Qed.

Lemma fills_words n (A : algebra V) G X bound p b (s : shape) C place t k : more_words n p = true ->
  fills ints A G X (Seq (statement_of bound (first_words n p)) (statement_of bound (last_words n p))) b s C place t k ->
  fills ints A G X (statement_of bound p) b s C place t k.
Proof.
  rewrite (more_words_of bound), first_words_of, last_words_of. intros L F. apply (fills_regroup A n); [exact L|exact F].
Qed.

Lemma added_right count h z : right h -> right z -> right (Added count h z).
Proof.
  intros IH IZ g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct t as [| | | | | | |a t u| | | | | | | | |]; try discriminate. split_and.
  apply Nat.eqb_eq in H. cbn in H. subst a. unfold filled. apply (fills_words count); [exact H3|]. cbn [part_of tensor_of].
  specialize (IH _ _ _ _ _ _ _ _ _ _ _ M H1). specialize (IZ _ _ _ _ _ _ _ _ _ _ _ M H0).
  destruct (held_before to); [discriminate| |].
  - apply fills_plus_zeroed; [exact (has_law_right Any S ints c0 g c T _ Add_0_l M H2)|exact IH|exact IZ].
  - apply fills_plus_adding; [exact (has_law_right Any S ints c0 g c T _ Add_assoc M H2)|exact IH|exact IZ].
Qed.

Lemma joined_right count e h z : right h -> right z -> right (Joined count e h z).
Proof.
  intros IH IZ g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct s as [|r s]; [discriminate|].
  destruct t as [| | | | | | | | | | | | | | |a e' n m t u|]; try discriminate. split_and.
  apply Nat.eqb_eq in H. cbn in H. subst a. apply (shown_holds M) in H2.
  unfold filled. apply (fills_words count); [exact H3|]. cbn [part_of tensor_of map].
  specialize (IH _ _ _ _ _ _ _ _ _ _ _ M H1). specialize (IZ _ _ _ _ _ _ _ _ _ _ _ M H0).
  rewrite <- (value_closed Any S ints c0 g c T vs n M), <- (value_closed Any S ints c0 g c T vs m M).
  apply fills_concat; [exact H2|exact IH|exact IZ].
Qed.

(** * Temporaries *)
Lemma known_names c bs T x : In x (known_of c bs T) -> In (name x) (flat_map (fun b => match b with Some (x, _, _) => [x] | None => [] end) bs).
Proof.
  revert T. induction bs as [|[[[b s] w]|] bs IH]; intros [|t T]; cbn; try easy; [intros [<-|I]; [left; destruct w as [[[r ls] ps]|]; reflexivity|right; eauto]|eauto].
Qed.

Lemma free_right g c T y : free_of g y = true -> forallb (fun x => negb (String.eqb (name x) y)) (known_of c (tensors g) T) = true.
Proof.
  unfold free_of. rewrite !forallb_forall. intros H x I. apply H, (known_names c (tensors g) T x I).
Qed.

Lemma apart_right g c T b : apart_word g b = true -> apart (known_of c (tensors g) T) (scratch_of c (spare g)) b = true.
Proof.
  unfold apart_word, apart. intros [H K]%andb_true_iff. apply andb_true_iff. split; [exact (free_right g c T b H)|].
  rewrite forallb_forall in K |- *.
  intros x I. unfold scratch_of in I. apply in_map_iff in I as (y & <- & I). specialize (K y I). apply andb_true_iff in K as [K L].
  cbn [fst]. apply andb_true_iff. split; [exact (free_right g c T _ K)|exact L].
Qed.

Lemma same_extents_value g c T s r es : models g c T -> same_extents g s r es = true -> values c s = values c r.
Proof.
  intros M. revert r es. induction s as [|n s IH]; intros [|m r] [|e es]; cbn; try easy. intros [H K]%andb_true_iff.
  apply (equals_value M) in H. rewrite H, (IH _ _ K). reflexivity.
Qed.

Lemma same_room_value g c T s r es : models g c T -> same_room g s r es = true -> room (values c s) = room (values c r).
Proof.
  intros M. revert es. induction s as [|n s IH]; intros es; cbn [same_room].
  - rewrite orb_false_r. intros H. rewrite (same_extents_value g c T [] r es M H). reflexivity.
  - intros [H|H]%orb_true_iff; [rewrite (same_extents_value g c T _ r es M H); reflexivity|].
    destruct es as [|e es]; [discriminate|]. apply andb_true_iff in H as [H K]. apply (equals_value M) in H. cbn in H.
    cbn [map]. rewrite room_one by exact H. exact (IH es K).
Qed.

Lemma extents_closed g c T us s : models g c T -> map (Index.value c0 (worth c us)) s = values c (map (close (deep g) us) s).
Proof. intros M. rewrite map_map. apply map_ext. intros n. symmetry. apply (value_closed Any S ints c0 g c T us n M). Qed.

(** What a temporary is made by. *)
Lemma makes_right g c T x a init k r us p vs ks t : models g c T -> apart_word g x = true -> beginning a init = Some k ->
  filled Any S ints c0 g c T (Target x a r [] k) r us p vs ks None t ->
  makes ints (known_of c (tensors g) T) (scratch_of c (spare g)) (statement_of (worth c us) p) x (values c r)
    (tensor_of Any S c0 (worth c vs) (stand Any T ks) t) (Some (option_map (constant_of Any S) init)).
Proof.
  intros M D B F. apply apart_right with (c := c) (T := T) in D. destruct init as [[b|]|]; cbn in B; try discriminate.
  - destruct (Nat.eqb a b) eqn:E; [|discriminate]. apply Nat.eqb_eq in E. subst b. injection B as <-.
    apply (makes_zeroed (alg a)); [exact D|exact F].
  - injection B as <-. apply (makes_unset (alg a)); [exact D|exact F].
Qed.

Lemma stand_held T ks t : stand Any (t :: T) (0%nat :: map Datatypes.S ks) = t :: stand Any T ks.
Proof. unfold stand. cbn [map nth]. f_equal. rewrite map_map. reflexivity. Qed.

Lemma let_new_right a r same count m h : right m -> right h -> right (Let_new a r same count m h).
Proof.
  intros IM IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct p as [| | | |x r' init q| | | | |]; try discriminate.
  destruct t as [| | | | | | | | | | | | |t u| | |]; try discriminate. split_and.
  destruct (beginning a init) as [k|] eqn:B; [|discriminate].
  apply negb_true_iff in H3. unfold filled. cbn [Words.statement_of part_of tensor_of].
  rewrite (extents_closed g c T us r' M), (same_extents_value g c T _ _ _ M H4).
  apply (fills_alloc_regroup (alg (ring to)) count); [rewrite <- more_words_of; exact H|].
  unfold regroup. rewrite <- first_words_of, <- last_words_of.
  apply fills_let; [exact H3|apply apart_right, H2| |].
  - apply (makes_right g c T x a init k); [exact M|exact H2|exact B|]. exact (IM _ _ _ _ _ _ _ _ _ _ _ M H1).
  - intros z. specialize (IH _ _ _ _ _ _ _ _ _ _ _ (models_holding Any S ints c0 g c T (Some (x, r, None)) z M) H0).
    unfold filled in IH. cbn [holding tensors known_of spare part_of] in IH. rewrite stand_held in IH. exact IH.
Qed.

Lemma without_of c x xs : without x (scratch_of c xs) = scratch_of c (filter (fun z => negb (String.eqb (fst z) x)) xs).
Proof.
  unfold without, scratch_of. induction xs as [|y xs IH]; cbn [map filter fst]; [reflexivity|].
  destruct (negb (String.eqb (fst y) x)); cbn [map]; rewrite IH; reflexivity.
Qed.

Lemma lookup_of c x xs y r : List.find (fun z => String.eqb (fst z) x) xs = Some (y, r) -> lookup x (scratch_of c xs) = Some (room (values c r)).
Proof.
  unfold scratch_of. induction xs as [|[z n] xs IH]; cbn [List.find map lookup fst snd]; [easy|].
  destruct (String.eqb z x); [intros [= <- <-]; reflexivity|exact IH].
Qed.

Lemma let_there_right a r same count m h : right m -> right h -> right (Let_there a r same count m h).
Proof.
  intros IM IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct p as [|[| | | | |x init| | | |] q| | | | | | | |]; try discriminate.
  destruct t as [| | | | | | | | | | | | |t u| | |]; try discriminate.
  set (g' := sparing _ g) in H. split_and.
  destruct (List.find _ (spare g)) as [[y r']|] eqn:F; [|discriminate]. destruct (beginning a init) as [k|] eqn:B; [|discriminate].
  apply negb_true_iff in H4. assert (M' : models g' c T) by apply models_sparing, M.
  unfold filled. apply (fills_words (Datatypes.S count)); [destruct count as [|n]; [destruct q; discriminate H|exact H]|].
  replace (first_words (Datatypes.S count) (LSeq (LReset x init) q)) with (LSeq (LReset x init) (first_words count q))
    by (destruct count; [destruct q; discriminate H|reflexivity]).
  replace (last_words (Datatypes.S count) (LSeq (LReset x init) q)) with (last_words count q) by reflexivity.
  cbn [part_of tensor_of].
  assert (D := apart_right g' c T x H3).
  apply fills_let_there with (x := x) (n := room (values c r')) (sx := values c r).
  - exact (lookup_of c x _ _ _ F).
  - exact (same_room_value g c T _ _ _ M H2).
  - exact H4.
  - rewrite without_of. exact D.
  - rewrite without_of. cbn [Words.statement_of]. apply makes_reset; [exact D|].
    apply (makes_right g' c T x a init k); [exact M'|exact H3|exact B|]. exact (IM _ _ _ _ _ _ _ _ _ _ _ M' H1).
  - intros z. specialize (IH _ _ _ _ _ _ _ _ _ _ _ (models_holding Any S ints c0 g' c T (Some (x, r, None)) z M') H0).
    unfold filled in IH. cbn [holding tensors known_of spare part_of] in IH. rewrite stand_held in IH. rewrite without_of. exact IH.
Qed.

Lemma let_unread_right h : right h -> right (Let_unread h).
Proof.
  intros IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct t as [| | | | | | | | | | | | |t u| | |]; try discriminate.
  unfold filled. cbn [part_of tensor_of]. apply fills_let_unread. intros z.
  specialize (IH _ _ _ _ _ _ _ _ _ _ _ (models_holding Any S ints c0 g c T None z M) H).
  unfold filled in IH. cbn [holding tensors known_of spare part_of] in IH. rewrite stand_held in IH. exact IH.
Qed.

Lemma spared_right h : right h -> right (Spared h).
Proof.
  intros IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct p as [| | | |x r v q| | | | |]; try discriminate. split_and. apply negb_true_iff in H.
  unfold filled. cbn [Words.statement_of]. rewrite (extents_closed g c T us r M).
  apply fills_alloc; [exact H|apply apart_right, H1|].
  exact (IH _ _ _ _ _ _ _ _ _ _ _ (models_sparing Any S ints c0 g c T _ M) H0).
Qed.
End Buffers.
