(** What [fill] accepts is so: conditions, and loops that are cut where a condition holds for each lane. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Filled.
Import ListNotations.
Open Scope Z_scope.

Section Branches.
Context {V : Type} (Any : algebra V) (S : signature V) (ints : arrays) (c0 : context).
Notation models := (models Any S ints c0).
Notation right := (right Any S ints c0).
Notation filled := (filled Any S ints c0).
Notation decides := (decides ints).
Notation alg := (alg Any S).
Notation values c := (map (Index.value c [])).
Implicit Types (g : goal) (c : context) (T : list (tensor V)) (us vs s : list term) (to : target) (o : part) (h : how).

(** * What is kept only where a condition holds *)
Definition entries (l : index) (c : context) : context := fold_left (fun c i => Number i :: c) l c.

Lemma values_entries l c s : values (entries l c) (times (List.length l) (map lift) s) = values c s.
Proof. revert c s. induction l as [|i l IH]; intros c s; [reflexivity|]. cbn [entries fold_left List.length times]. rewrite IH. apply values_lift. Qed.

Lemma holds_entries l c p : Index.holds (entries l c) [] (times (List.length l) lift_predicate p) = Index.holds c [] p.
Proof.
  revert c p. induction l as [|i l IH]; intros c p; [reflexivity|]. cbn [entries fold_left List.length times]. rewrite IH.
  exact (holds_close c [Number i] [] [] p).
Qed.

Lemma models_entries l g c T : models g c T -> models (times (List.length l) entered g) (entries l c) T.
Proof. revert g c. induction l as [|i l IH]; intros g c M; [exact M|]. cbn [entries fold_left List.length times]. apply IH, models_entered, M. Qed.

Lemma kept_entries l c to : kept_of (entries l c) (layers (times (List.length l) lift_target to)) = kept_of c (layers to).
Proof. revert c to. induction l as [|i l IH]; intros c to; [reflexivity|]. cbn [entries fold_left List.length times]. rewrite IH. apply kept_of_lift. Qed.

Lemma entries_app l c : entries l c = map Number (rev l) ++ c.
Proof.
  revert c. induction l as [|i l IH]; intros c; [reflexivity|]. cbn [entries fold_left rev]. change (fold_left _ l ?x) with (entries l x).
  rewrite IH, map_app, <- app_assoc. reflexivity.
Qed.

Lemma numbers_values l c : values (map Number l ++ c) (map Free (seq 0 (List.length l))) = l.
Proof.
  induction l as [|i l IH]; [reflexivity|]. cbn [map List.length seq app]. f_equal.
  rewrite <- seq_shift, !map_map. rewrite map_map in IH. exact IH.
Qed.

Lemma entries_values l c : values (entries l c) (map Free (rev (seq 0 (List.length l)))) = l.
Proof.
  rewrite entries_app, !map_rev, <- (rev_length l). rewrite <- (map_rev Number). rewrite numbers_values. apply rev_involutive.
Qed.

Lemma lifts_length n s : List.length (times n (map lift) s) = List.length s.
Proof. revert s. induction n as [|n IH]; intros s; [reflexivity|]. cbn [times]. rewrite IH. apply map_length. Qed.

Lemma box_value c is s : List.length is = List.length s -> Index.holds c [] (box_term is s) = in_box (values c is) (values c s).
Proof.
  revert s. induction is as [|i is IH]; intros [|n s]; cbn; try easy. intros L. rewrite IH by lia. reflexivity.
Qed.

Lemma kept_only_right g c T to s p e l : models g c T -> kept_only g to s p e = true ->
  in_box l (values c s) = true -> kept_of c (layers to) l = true -> Index.holds c [] p = true.
Proof.
  intros M H B K. unfold kept_only in H.
  assert (L : List.length s = List.length l).
  { apply in_box_iff in B. rewrite <- (map_length (Index.value c []) s). revert B. generalize (values c s) as r. clear.
    induction l as [|i l IH]; intros [|n r]; cbn; try easy. intros [_ B]. rewrite (IH r B). reflexivity. }
  rewrite L in H. set (is := map Free (rev (seq 0 (List.length l)))) in *.
  assert (Ix : values (entries l c) is = l) by apply entries_values.
  assert (Q : Index.holds (entries l c) [] (times (List.length l) lift_predicate p) = true); [|rewrite holds_entries in Q; exact Q].
  refine (shown_holds (Any := Any) (S := S) (ints := ints) (c0 := c0) (T := T) _ _ _ H).
  apply models_assuming; [|apply models_assuming; [|apply models_entries, M]].
  - rewrite kept_value, Ix, kept_entries. exact K.
  - rewrite box_value, Ix, values_entries; [exact B|].
    unfold is. rewrite map_length, rev_length, seq_length, lifts_length. symmetry. exact L.
Qed.

(** * Conditions *)
Lemma closed_models g c T vs p : models g c T -> Index.holds c0 (worth c vs) p = true -> models (assuming (close_predicate (deep g) vs p) g) c T.
Proof. intros M H. apply models_assuming; [|exact M]. rewrite (holds_closed Any S ints c0 g c T _ _ M). exact H. Qed.

Lemma denied_models g c T vs p : models g c T -> Index.holds c0 (worth c vs) p = false ->
  models (assuming (Not (close_predicate (deep g) vs p)) g) c T.
Proof. intros M H. apply models_denying; [|exact M]. rewrite (holds_closed Any S ints c0 g c T _ _ M). exact H. Qed.

(** A condition around statements, of which nothing stands beside them. *)
Lemma conditioned_right g c T to s us q b reads e dropped (p : bool) P x t : models g c T ->
  conditioned g to s us q b reads e dropped = true -> p = Index.holds c [] b ->
  (p = true -> fills ints (alg (ring to)) (known_of c (tensors g) T) (scratch_of c (spare g)) P x (values c s) (kept_of c (layers to))
    (place_of c (extents to) (layers to)) t (held_before to)) ->
  fills ints (alg (ring to)) (known_of c (tensors g) T) (scratch_of c (spare g)) (If (test_of c0 (worth c us) q) P Skip) x (values c s)
    (kept_of c (layers to)) (place_of c (extents to) (layers to)) (guard (alg (ring to)) p t) (held_before to).
Proof.
  intros M H -> F. unfold conditioned in H. split_and.
  assert (D := test_decides Any S ints c0 g c T us q reads b e M H H1). unfold padding in H0.
  destruct (held_before to) eqn:K.
  - apply fills_guard_dropped; [exact D| |exact F]. intros l B L. exact (kept_only_right g c T to s b dropped l M H0 B L).
  - apply fills_guard; [exact D|exact F].
  - apply fills_guard_adding; [exact (has_law_right Any S ints c0 g c T _ Add_0_r M H0)|exact D|exact F].
Qed.

Ltac same H := apply Nat.eqb_eq in H; cbn in H; subst.

Lemma guarded_right reads e dropped h : right h -> right (Guarded reads e dropped h).
Proof.
  intros IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct p as [| | |q p [| | | | | | | | |]| | | | | |]; try discriminate.
  destruct t as [| | | | | | | | | |a b t| | | | | |]; try discriminate. split_and. same H.
  unfold Filled.filled. cbn [part_of tensor_of statement_of].
  apply (conditioned_right g c T to s us q (close_predicate (deep g) vs b) reads e dropped); [exact M|exact H1| |].
  - symmetry. apply (holds_closed Any S ints c0 g c T _ _ M).
  - intros P. exact (IH _ _ _ _ _ _ _ _ _ _ _ (closed_models g c T vs b M P) H0).
Qed.

Lemma mentions_value c b i j k t : mentions k t = false -> nth_error b k = Some i ->
  Index.value c b t = Index.value c (firstn k b ++ j :: skipn (Datatypes.S k) b) t.
Proof.
  intros H N. induction t as [|l|l|op x y IHx IHy|l ts IH] using term_induction; cbn in H |- *; try reflexivity.
  - apply Nat.eqb_neq in H. assert (L : (k < List.length b)%nat) by (apply nth_error_Some; congruence).
    destruct (Nat.lt_ge_cases l k) as [Q|Q].
    + rewrite app_nth1 by (rewrite firstn_length; lia). rewrite <- (firstn_skipn k b) at 1. rewrite app_nth1 by (rewrite firstn_length; lia). reflexivity.
    + rewrite app_nth2 by (rewrite firstn_length; lia). rewrite firstn_length, Nat.min_l by lia.
      destruct (l - k)%nat as [|m] eqn:D; [lia|]. cbn [nth]. replace l with (Datatypes.S k + m)%nat by lia.
      rewrite <- (firstn_skipn (Datatypes.S k) b) at 1. rewrite app_nth2 by (rewrite firstn_length; lia).
      f_equal. rewrite firstn_length. lia.
  - apply orb_false_iff in H as [Hx Hy]. rewrite IHx, IHy by assumption. reflexivity.
  - f_equal. apply map_ext_Forall. rewrite Forall_forall in *. intros u I. apply IH; [exact I|].
    destruct (mentions k u) eqn:E; [|reflexivity]. rewrite <- H. symmetry. apply existsb_exists. eauto.
Qed.

Lemma asks_holds c b i j p : asks 0 p = false -> Index.holds c (i :: b) p = Index.holds c (j :: b) p.
Proof.
  induction p as [| |r x y|p IH|p IHp q IHq|p IHp q IHq]; cbn; try reflexivity.
  - intros [X Y]%orb_false_iff. rewrite (mentions_value c (i :: b) i j 0 x X eq_refl), (mentions_value c (i :: b) i j 0 y Y eq_refl). reflexivity.
  - intros H. rewrite IH by exact H. reflexivity.
  - intros [X Y]%orb_false_iff. rewrite IHp, IHq by assumption. reflexivity.
  - intros [X Y]%orb_false_iff. rewrite IHp, IHq by assumption. reflexivity.
Qed.

Lemma switched_right reads e dropped h : right h -> right (Switched reads e dropped h).
Proof.
  intros IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct p as [| | |q p [| | | | | | | | |]| | | | | |]; try discriminate.
  destruct t as [| | | | | | | |n [| | | | | | | | | |a b t| | | | | |]| | | | | | | |]; try discriminate. split_and. same H.
  apply negb_true_iff in H2. set (z := Index.holds c0 (0 :: worth c vs) b).
  assert (F : fills ints (alg (ring to)) (known_of c (tensors g) T) (scratch_of c (spare g)) (statement_of Any S c0 (worth c us) (LIf q p LSkip))
    (into to) (values c s) (kept_of c (layers to)) (place_of c (extents to) (layers to))
    (guard (alg (ring to)) z (part_of Any S c0 (worth c vs) (stand Any T ks) o (EGen n t))) (held_before to)).
  { cbn [statement_of].
    apply (conditioned_right g c T to s us q (close_predicate (deep g) (Lit 0 :: vs) b) reads e dropped); [exact M|exact H1| |].
    - symmetry. exact (holds_closed Any S ints c0 g c T (Lit 0 :: vs) b M).
    - intros P. exact (IH _ _ _ _ _ _ _ _ _ _ _ (closed_models g c T (Lit 0 :: vs) b M P) H0). }
  unfold Filled.filled. revert F. apply fills_same; [reflexivity|reflexivity|]. intros l _.
  unfold z. destruct o as [[k w]|]; cbn [part_of tensor_of]; unfold gen, guard.
  - rewrite (asks_holds c0 (worth c vs) 0 (k + hd 0 l) b H2). reflexivity.
  - rewrite (asks_holds c0 (worth c vs) 0 (hd 0 l) b H2). reflexivity.
Qed.

Lemma guarded_else_right reads e h z : right h -> right z -> right (Guarded_else reads e h z).
Proof.
  intros IH IZ g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct s; [|discriminate]. destruct p as [| | |q p p'| | | | | |]; try discriminate.
  destruct t as [| | | | | | | | | |a b t| | | | | |]; try discriminate. split_and. same H.
  assert (D := test_decides Any S ints c0 g c T us q reads _ e M H3 H2). rewrite (holds_closed Any S ints c0 g c T _ _ M) in D.
  unfold Filled.filled. cbn [part_of tensor_of statement_of map]. apply fills_guard_else with (1 := D); intros P.
  - exact (IH _ _ _ _ _ _ _ _ _ _ _ (closed_models g c T vs b M P) H1).
  - exact (IZ _ _ _ _ _ _ _ _ _ _ _ (denied_models g c T vs b M P) H0).
Qed.

Lemma guarded_true_right e h : right h -> right (Guarded_true e h).
Proof.
  intros IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct t as [| | | | | | | | | |a b t| | | | | |]; try discriminate. split_and. same H.
  apply (shown_holds M) in H1. rewrite (holds_closed Any S ints c0 g c T _ _ M) in H1.
  unfold Filled.filled. cbn [part_of tensor_of]. apply fills_guard_true; [exact H1|]. exact (IH _ _ _ _ _ _ _ _ _ _ _ M H0).
Qed.

Lemma guarded_false_right e : right (Guarded_false e).
Proof.
  intros g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct p; try discriminate. destruct t as [| | | | | | | | | |a b t| | | | | |]; try discriminate. split_and. same H.
  apply (denied_holds M) in H0. rewrite (holds_closed Any S ints c0 g c T _ _ M) in H0. unfold padding in H1.
  unfold Filled.filled. cbn [part_of tensor_of statement_of]. destruct (held_before to); [discriminate| |].
  - apply fills_guard_false, H0.
  - apply fills_guard_false_adding; [exact (has_law_right Any S ints c0 g c T _ Add_0_r M H1)|exact H0].
Qed.

Lemma selected_right reads e h z : right h -> right z -> right (Selected reads e h z).
Proof.
  intros IH IZ g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct p as [| | |q p p'| | | | | |]; try discriminate.
  destruct t as [| | | | | | | | | | |b t u| | | | |]; try discriminate. split_and.
  assert (D := test_decides Any S ints c0 g c T us q reads _ e M H H2). rewrite (holds_closed Any S ints c0 g c T _ _ M) in D.
  unfold Filled.filled. cbn [part_of tensor_of statement_of]. apply fills_select with (1 := D); intros P.
  - exact (IH _ _ _ _ _ _ _ _ _ _ _ (closed_models g c T vs b M P) H1).
  - exact (IZ _ _ _ _ _ _ _ _ _ _ _ (denied_models g c T vs b M P) H0).
Qed.

Lemma selected_true_right e h : right h -> right (Selected_true e h).
Proof.
  intros IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct t as [| | | | | | | | | | |b t u| | | | |]; try discriminate. split_and.
  apply (shown_holds M) in H. rewrite (holds_closed Any S ints c0 g c T _ _ M) in H.
  unfold Filled.filled. cbn [part_of tensor_of]. apply fills_select_true; [exact H|]. exact (IH _ _ _ _ _ _ _ _ _ _ _ M H0).
Qed.

Lemma selected_false_right e h : right h -> right (Selected_false e h).
Proof.
  intros IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct t as [| | | | | | | | | | |b t u| | | | |]; try discriminate. split_and.
  apply (denied_holds M) in H. rewrite (holds_closed Any S ints c0 g c T _ _ M) in H.
  unfold Filled.filled. cbn [part_of tensor_of]. apply fills_select_false; [exact H|]. exact (IH _ _ _ _ _ _ _ _ _ _ _ M H0).
Qed.
(** Two ways to fill the same cells. *)
Lemma either_right reads h z : right h -> right z -> right (Either reads h z).
Proof.
  intros IH IZ g c T to s us p vs ks o t M H. cbn [fill] in H. destruct p as [| | |q p p'| | | | | |]; try discriminate. split_and.
  unfold Filled.filled. cbn [statement_of].
  apply fills_if with (1 := test_spent Any S ints c0 g c T us q reads M H); intros P.
  - exact (IH _ _ _ _ _ _ _ _ _ _ _ (closed_models g c T us (test_term q) M P) H1).
  - exact (IZ _ _ _ _ _ _ _ _ _ _ _ (denied_models g c T us (test_term q) M P) H0).
Qed.
End Branches.
