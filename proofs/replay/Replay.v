(** What [fill] accepts is so: loops that were written out or cut, and the theorem about all of it. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Branches Atl.replay.Carrying Atl.replay.Reshapes Atl.replay.Iterations.
Import ListNotations.
Open Scope Z_scope.

Section Replay.
Context {V : Type} (Any : algebra V) (S : signature V) (ints : arrays) (c0 : context).
Notation models := (models Any S ints c0).
Notation right := (right Any S ints c0).
Notation alg := (alg Any S).
Notation values c := (map (Index.value c [])).
Implicit Types (g : goal) (c : context) (T : list (tensor V)) (us vs s : list term) (to : target) (o : part) (h : how).

(** * Loops that were written out *)
Definition pieces_right (ps : pieces) : Prop := forall g c T to s us p vs ks t at_ r,
  models g c T -> fill_pieces ps g to s us p vs ks t at_ r = true ->
  fills ints (alg (ring to)) (known_of c (tensors g) T) (scratch_of c (spare g)) (statement_of Any S c0 (worth c us) p) (into to)
    (r :: values c s) (fun l => kept_of c (layers to) (from at_ l)) (fun l => place_of c (extents to) (layers to) (from at_ l))
    (gen r (fun i => tensor_of Any S c0 (at_ + i :: worth c vs) (stand Any T ks) t)) (held_before to).

Lemma last_right h : right h -> pieces_right (Last h).
Proof. intros IH g c T to s us p vs ks t at_ r M H. exact (IH _ _ _ _ _ _ _ _ _ _ _ M H). Qed.

Lemma more_right w count h ps : right h -> pieces_right ps -> pieces_right (More w count h ps).
Proof.
  intros IH IP g c T to s us p vs ks t at_ r M H. cbn [fill_pieces] in H. split_and. apply Z.leb_le in H, H3.
  apply (fills_words Any S ints c0 count); [assumption|].
  apply (fills_next (alg (ring to)) _ _ _ _ _ _ (kept_of c (layers to)) (place_of c (extents to) (layers to))
    (fun i => tensor_of Any S c0 (i :: worth c vs) (stand Any T ks) t) _ at_ w r); [lia| |].
  - exact (IH _ _ _ _ _ _ _ _ _ _ _ M H1).
  - exact (IP _ _ _ _ _ _ _ _ _ _ _ _ M H0).
Qed.

Lemma written_right n e ps : pieces_right ps -> right (Written n e ps).
Proof.
  intros IP g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct s as [|n' s]; [discriminate|].
  destruct t as [| | | | | | | |n0 t| | | | | | | |]; try discriminate. split_and. apply (equals_value M) in H. cbn in H.
  specialize (IP _ _ _ _ _ _ _ _ _ _ _ _ M H0). unfold filled. cbn [map part_of tensor_of]. rewrite H. revert IP.
  apply fills_same; [intros [|i l]; reflexivity|intros [|i l]; reflexivity|]. intros l _. reflexivity.
Qed.

(** * Loops of whole vectors and a rest *)
Lemma lane_right g c T us q each lane n i : models g c T ->
  spent (test_ok (entered g) (Free 0 :: map lift us) q each) = true ->
  alike (entered g) (close_predicate (deep (entered g)) (Free 0 :: map lift us) (test_term q)) (Cmp Lt (Free 0) (lift n)) lane = true ->
  decides ints (test_of c0 (i :: worth c us) q) (i <? Index.value c [] n).
Proof.
  intros M H E. pose proof (models_entered Any S ints c0 g c T (Number i) M) as M'.
  pose proof (test_decides Any S ints c0 _ _ T _ q each _ lane M' H E) as D.
  rewrite worth_entered in D. cbn [Index.holds compare] in D. rewrite value_lift in D. exact D.
Qed.

Lemma cutting_right extent reads lo middle each lane order h z : right h -> right z ->
  right (Cutting extent reads lo middle each lane order h z).
Proof.
  intros IH IZ g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct reads as [|r1 [|r2 [|r3 [|r4 [|]]]]]; try discriminate. destruct s as [|n' s]; [discriminate|].
  destruct p as [|[| |l u q| | | | | | |] [| |l' u' [| | |b q' [| | | | | | | | |]| | | | | |]| | | | | | |]| | | | | | | |]; try discriminate.
  destruct t as [| | | | | | | |n0 t| | | | | | | |]; try discriminate. split_and.
  set (n := extent_of (deep g) vs o n0) in *. set (m := close (deep g) us (index_term u)) in *.
  apply (equals_value M) in H. unfold filled. rewrite (part_gen _ _ _ _ _ o n0 t (Index.value c [] n)). cbn [map]. rewrite H.
  cbn [statement_of].
  apply (fills_gen_cut (alg (ring to)) _ _ _ _ _ _ (Index.value c [] m) (Index.value c [] (close (deep g) us (index_term u')))).
  - exact (index_gives Any S ints c0 g c T us l r1 (Lit 0) lo M H10 H9).
  - exact (index_spent Any S ints c0 g c T us u r2 M H8).
  - exact (index_gives Any S ints c0 g c T us l' r3 m middle M H7 H6).
  - exact (index_spent Any S ints c0 g c T us u' r4 M H5).
  - intros i. exact (lane_right g c T us b each lane n i M H4 H3).
  - exact (shown_holds M _ _ H2).
  - intros i L U W. assert (M' : models (assuming (Cmp Lt (Free 0) (lift m)) (iterating n g)) (Number i :: c) T).
    { apply models_assuming; [|exact (models_iterating Any S ints c0 g c T n i M L U)]. cbn [Index.holds compare]. rewrite value_lift. exact W. }
    specialize (IH _ _ _ _ _ _ _ _ _ _ _ M' H1).
    apply (filled_entered Any S ints c0 g) in IH; [|reflexivity|reflexivity]. rewrite variable_value in IH. exact IH.
  - intros i L U W. assert (M' : models (assuming (Not (Cmp Lt (Free 0) (lift m))) (iterating n g)) (Number i :: c) T).
    { apply models_denying; [|exact (models_iterating Any S ints c0 g c T n i M L U)]. cbn [Index.holds compare]. rewrite value_lift. exact W. }
    specialize (IZ _ _ _ _ _ _ _ _ _ _ _ M' H0).
    apply (filled_entered Any S ints c0 g) in IZ; [|reflexivity|reflexivity]. rewrite variable_value in IZ. exact IZ.
Qed.

Lemma resting_right extent reads lo each lane order h : right h -> right (Resting extent reads lo each lane order h).
Proof.
  intros IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct reads as [|r1 [|r2 [|]]]; try discriminate. destruct s as [|n' s]; [discriminate|].
  destruct p as [| |l u [| | |b q [| | | | | | | | |]| | | | | |]| | | | | | |]; try discriminate.
  destruct t as [| | | | | | | |n0 t| | | | | | | |]; try discriminate. split_and.
  set (n := extent_of (deep g) vs o n0) in *.
  apply (equals_value M) in H. unfold filled. rewrite (part_gen _ _ _ _ _ o n0 t (Index.value c [] n)). cbn [map]. rewrite H.
  cbn [statement_of]. apply (fills_gen_rest (alg (ring to)) _ _ _ _ (Index.value c [] (close (deep g) us (index_term u)))).
  - exact (index_gives Any S ints c0 g c T us l r1 (Lit 0) lo M H6 H5).
  - exact (index_spent Any S ints c0 g c T us u r2 M H4).
  - intros i. exact (lane_right g c T us b each lane n i M H3 H2).
  - exact (shown_holds M _ _ H1).
  - intros i L U. specialize (IH _ _ _ _ _ _ _ _ _ _ _ (models_iterating Any S ints c0 g c T n i M L U) H0).
    apply (filled_entered Any S ints c0 g) in IH; [|reflexivity|reflexivity]. rewrite variable_value in IH. exact IH.
Qed.

(** * All of it *)
Scheme how_induction := Induction for how Sort Prop with pieces_induction := Induction for pieces Sort Prop
  with beginnings_induction := Induction for beginnings Sort Prop with makings_induction := Induction for makings Sort Prop.

Theorem fill_right h : right h.
Proof.
  induction h using how_induction with (P0 := pieces_right) (P1 := begins_right Any S ints c0) (P2 := fun _ => True);
    try (intros ? ? ? ? ? ? ? ? ? ? ? ? X; discriminate X).
  - apply stored_right.
  - apply loop_right; assumption.
  - apply once_right; assumption.
  - apply never_right.
  - apply written_right; assumption.
  - apply cutting_right; assumption.
  - apply resting_right; assumption.
  - apply summed_right; assumption.
  - apply summed_once_right; assumption.
  - apply guarded_right; assumption.
  - apply switched_right; assumption.
  - apply guarded_else_right; assumption.
  - apply guarded_true_right; assumption.
  - apply guarded_false_right.
  - apply selected_right; assumption.
  - apply selected_true_right; assumption.
  - apply selected_false_right; assumption.
  - apply added_right; assumption.
  - apply let_new_right; assumption.
  - apply let_there_right; assumption.
  - apply let_unread_right; assumption.
  - apply reshaped_right; assumption.
  - apply joined_right; assumption.
  - apply spared_right; assumption.
  - apply either_right; assumption.
  - apply iterated_right; assumption.
  - apply carried_right; assumption.
  - apply last_right; assumption.
  - apply more_right; assumption.
  - apply begun_right.
  - apply begins_one; assumption.
  - exact I.
  - exact I.
Qed.

(** The same of loops and a term that are functions of Rocq, where the words are seen to mean them part by part. *)
Theorem replayed h g c T to s us p vs ks o t A G X P b shape K L t' before :
  models g c T -> fill h g to s us p vs ks o t = true ->
  statement_of Any S c0 (worth c us) p = P -> part_of Any S c0 (worth c vs) (stand Any T ks) o t = t' ->
  alg (ring to) = A -> known_of c (tensors g) T = G -> scratch_of c (spare g) = X -> into to = b -> values c s = shape ->
  kept_of c (layers to) = K -> place_of c (extents to) (layers to) = L -> held_before to = before ->
  fills ints A G X P b shape K L t' before.
Proof. intros M H. repeat (intros <-). exact (fill_right h _ _ _ _ _ _ _ _ _ _ _ M H). Qed.

(** An array of integers that lies in memory. *)
Lemma list_lies {W} b n (to_int : W -> Z) (t : tensor W) : lies ints b [n] to_int t ->
  forall i, in_range i n = true -> entry_at ints b i = Some (read [n] to_int t [i]).
Proof.
  intros L i I. assert (B : in_box [i] [n] = true) by (cbn; rewrite I; reflexivity).
  unfold read. rewrite B. rewrite <- (L [i]) by (apply in_box_iff, B). cbn. f_equal. lia.
Qed.
End Replay.

(** What words mean, by computing. Each part is compared alone: where one is another, Rocq says so at once. *)
Ltac as_words := match goal with |- ?meaning = _ => exact_no_check (eq_refl meaning) end.
