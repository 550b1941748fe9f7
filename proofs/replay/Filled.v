(** What [fill] accepts is so: a lemma for each of its cases. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Fills.
Import ListNotations.
Open Scope Z_scope.

Section Filled.
Context {V : Type} (Any : algebra V) (S : signature V) (ints : arrays) (c0 : context).
Notation models := (models Any S ints c0).
Notation gives := (gives ints).
Notation decides := (decides ints).
Notation tensor_of := (tensor_of Any S c0).
Notation statement_of := (statement_of Any S c0).
Notation alg := (alg Any S).
Notation stand := (stand Any).
Notation values c := (map (Index.value c [])).
Implicit Types (g : goal) (c : context) (T : list (tensor V)) (us vs s : list term) (to : target) (o : part) (h : how).

Definition part_of (bound : list Z) (ts : list (tensor V)) o t : tensor V :=
  match o, t with Some (k, w), EGen _ t => gen w (fun i => tensor_of (k + i :: bound) ts t) | _, _ => tensor_of bound ts t end.

Definition filled g c T to s us p vs ks o t : Prop :=
  fills ints (alg (ring to)) (known_of c (tensors g) T) (scratch_of c (spare g)) (statement_of (worth c us) p) (into to) (values c s)
    (kept_of c (layers to)) (place_of c (extents to) (layers to)) (part_of (worth c vs) (stand T ks) o t) (held_before to).

Definition right h : Prop := forall g c T to s us p vs ks o t,
  models g c T -> fill h g to s us p vs ks o t = true -> filled g c T to s us p vs ks o t.

(** * Loops *)
Lemma worth_entered c i us : worth (Number i :: c) (Free 0 :: map lift us) = i :: worth c us.
Proof. unfold worth. cbn [map]. rewrite values_lift. reflexivity. Qed.

Lemma models_iterating g c T n i : models g c T -> (0 <=? i) = true -> (i <? Index.value c [] n) = true ->
  models (iterating n g) (Number i :: c) T.
Proof.
  intros M L H. apply models_assuming; [|apply models_assuming; [exact L|apply models_entered, M]].
  cbn [Index.holds compare]. rewrite value_lift. exact H.
Qed.

Lemma filled_entered g g' c T i to s us p v vs ks t : tensors g' = map (option_map lift_entry) (tensors g) ->
  spare g' = map lift_buffer (spare g) ->
  filled g' (Number i :: c) T (under_layer (Row (Free 0)) (lift_target to)) (map lift s) (Free 0 :: map lift us) p (v :: map lift vs) ks None t ->
  fills ints (alg (ring to)) (known_of c (tensors g) T) (scratch_of c (spare g)) (statement_of (i :: worth c us) p) (into to) (values c s)
    (fun l => kept_of c (layers to) (i :: l)) (fun l => place_of c (extents to) (layers to) (i :: l))
    (tensor_of (Index.value (Number i :: c) [] v :: worth c vs) (stand T ks) t) (held_before to).
Proof.
  intros Et Es. unfold filled. rewrite Et, Es, known_of_lift, scratch_of_lift, worth_entered, values_lift.
  cbn [under_layer lift_target layers into extents ring held_before]. cbn [kept_of place_of keep move]. rewrite kept_of_lift, place_of_lift.
  cbn [part_of worth map]. rewrite values_lift. trivial.
Qed.

Lemma filled_entered_sum g g' c T i to s us p v vs ks t : tensors g' = map (option_map lift_entry) (tensors g) ->
  spare g' = map lift_buffer (spare g) ->
  filled g' (Number i :: c) T (adding (lift_target to)) (map lift s) (Free 0 :: map lift us) p (v :: map lift vs) ks None t ->
  fills ints (alg (ring to)) (known_of c (tensors g) T) (scratch_of c (spare g)) (statement_of (i :: worth c us) p) (into to) (values c s)
    (kept_of c (layers to)) (place_of c (extents to) (layers to))
    (tensor_of (Index.value (Number i :: c) [] v :: worth c vs) (stand T ks) t) Adding.
Proof.
  intros Et Es. unfold filled. rewrite Et, Es, known_of_lift, scratch_of_lift, worth_entered, values_lift.
  cbn [adding lift_target layers into extents ring held_before]. rewrite kept_of_lift, place_of_lift.
  cbn [part_of worth map]. rewrite values_lift. trivial.
Qed.

(** A tensor of a loop's iterations: the extent says nothing about its elements. *)
Lemma part_gen bound ts o n t m : part_of bound ts o (EGen n t) =
  gen m (fun i => tensor_of (match o with Some (k, _) => k + i | None => i end :: bound) ts t).
Proof. destruct o as [[k w]|]; reflexivity. Qed.

Lemma variable_value c i o : Index.value (Number i :: c) [] (variable_of o (Free 0)) = match o with Some (k, _) => k + i | None => i end.
Proof. destruct o as [[k w]|]; reflexivity. Qed.

Ltac given M H := apply (equals_value M) in H.

Lemma loop_right extent reads lo reads' hi h : right h -> right (Loop extent reads lo reads' hi h).
Proof.
  intros IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct s as [|n' s]; [discriminate|]. destruct p as [| |l u q| | | | | | |]; try discriminate. destruct t as [| | | | | | | |n0 t| | | | | | | |]; try discriminate. split_and.
  set (n := extent_of (deep g) vs o n0) in *. given M H.
  assert (Lo := index_gives Any S ints c0 g c T us l reads (Lit 0) lo M H4 H3).
  assert (Hi := index_gives Any S ints c0 g c T us u reads' n hi M H2 H1).
  unfold filled. rewrite (part_gen _ _ o n0 t (Index.value c [] n)). cbn [map]. rewrite H.
  cbn [Words.statement_of]. apply (fills_gen (alg (ring to)) _ _ _ _ (Index.value c [] n)); [exact Lo|exact Hi|].
  intros i L U. specialize (IH _ _ _ _ _ _ _ _ _ _ _ (models_iterating g c T n i M L U) H0).
  apply (filled_entered g) in IH; [|reflexivity|reflexivity]. rewrite variable_value in IH. exact IH.
Qed.

Lemma once_right e h : right h -> right (Once e h).
Proof.
  intros IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct s as [|n s]; [discriminate|]. destruct t as [| | | | | | | |n0 t| | | | | | | |]; try discriminate. split_and. given M H. cbn in H.
  unfold filled. rewrite (part_gen _ _ o n0 t (Index.value c [] n)). cbn [map]. apply fills_gen_one; [exact H|].
  specialize (IH _ _ _ _ _ _ _ _ _ _ _ M H0). unfold filled in IH.
  replace (worth c (variable_of o (Lit 0) :: vs)) with (match o with Some (k, _) => k + 0 | None => 0 end :: worth c vs) in IH
    by (destruct o as [[k w]|]; reflexivity).
  exact IH.
Qed.

Lemma never_right e : right (Never e).
Proof.
  intros g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct s as [|n s]; [discriminate|]. destruct p; try discriminate. destruct t as [| | | | | | | |n0 t| | | | | | | |]; try discriminate. given M H. cbn in H.
  unfold filled. rewrite (part_gen _ _ o n0 t (Index.value c [] n)). cbn [map]. apply fills_gen_none, H.
Qed.

(** * Stores *)
Lemma stored_right reads cell kept r : right (Stored reads cell kept r).
Proof.
  intros g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct s; [|discriminate].
  assert (Cell : forall i, spent (index_ok g us i reads) = true ->
    equals g (close (deep g) us (index_term i)) (cell_term (extents to) (layers to) []) cell = true ->
    gives (int_of c0 (worth c us) i) (place_of c (extents to) (layers to) [])).
  { intros i R E. pose proof (index_gives Any S ints c0 g c T us i reads _ cell M R E) as G. rewrite cell_value in G. exact G. }
  assert (Kept : shown g (kept_term (layers to) []) kept = true -> kept_of c (layers to) [] = true).
  { intros K. apply (shown_holds M) in K. rewrite kept_value in K. exact K. }
  destruct p as [| | | | | | |b i v| |a b i v]; try discriminate; split_and; apply String.eqb_eq in H; subst b; unfold filled; cbn [Words.statement_of map part_of].
  - apply fills_store; [|apply Cell; assumption|apply Kept; assumption|exact (reads_right Any S ints c0 g c T us vs ks v t r M H0)].
    intros E. rewrite E in H4. discriminate.
  - apply Nat.eqb_eq in H4. subst a. assert (E : held_before to = Adding) by (destruct (held_before to); easy). rewrite E.
    apply fills_update; [apply Cell; assumption|apply Kept; assumption|exact (reads_right Any S ints c0 g c T us vs ks v t r M H0)].
Qed.

(** * Sums *)
Lemma has_law_right g c T a l : models g c T -> has_law g a l = true -> law_of Any S (a, l).
Proof.
  intros M H. apply existsb_exists in H as ([b k] & I & H). apply andb_true_iff in H as [H K]. apply Nat.eqb_eq in H. cbn in H, K. subst b.
  pose proof (laws_of _ _ _ _ _ _ _ M) as La. rewrite Forall_forall in La. specialize (La _ I). destruct k, l; easy.
Qed.

Lemma sum_laws g c T a k : models g c T -> (if is_adding k then has_law g a Add_0_r && has_law g a Add_assoc else true) = true ->
  k = Adding -> law_add_0_r (alg a) /\ law_add_assoc (alg a).
Proof.
  intros M H ->. cbn in H. apply andb_true_iff in H as [H K].
  split; [exact (has_law_right g c T a Add_0_r M H)|exact (has_law_right g c T a Add_assoc M K)].
Qed.

Lemma set_unset k : negb (is_unset k) = true -> k <> Unset.
Proof. destruct k; easy. Qed.

Lemma summed_right reads lo reads' hi h : right h -> right (Summed reads lo reads' hi h).
Proof.
  intros IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct p as [| |l u q| | | | | | |]; try discriminate. destruct t as [| | | | | | | | |a n t| | | | | | |]; try discriminate. split_and.
  apply Nat.eqb_eq in H. subst a. set (n' := close (deep g) vs n) in *.
  assert (Lo := index_gives Any S ints c0 g c T us l reads (Lit 0) lo M H4 H3).
  assert (Hi := index_gives Any S ints c0 g c T us u reads' n' hi M H2 H1).
  unfold filled. cbn [part_of Words.tensor_of Words.statement_of]. rewrite <- (value_closed Any S ints c0 g c T vs n M). fold n'.
  apply fills_sum; [exact Lo|exact Hi|exact (set_unset _ H6)|exact (sum_laws g c T _ _ M H5)|].
  intros i L U. specialize (IH _ _ _ _ _ _ _ _ _ _ _ (models_iterating g c T n' i M L U) H0).
  apply (filled_entered_sum g) in IH; [exact IH|reflexivity|reflexivity].
Qed.

Lemma summed_once_right e h : right h -> right (Summed_once e h).
Proof.
  intros IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct t as [| | | | | | | | |a n t| | | | | | |]; try discriminate. split_and. apply Nat.eqb_eq in H. subst a. given M H1. cbn in H1.
  unfold filled. cbn [part_of Words.tensor_of]. rewrite <- (value_closed Any S ints c0 g c T vs n M), H1.
  apply fills_sum_one; [reflexivity|exact (set_unset _ H3)|exact (sum_laws g c T _ _ M H2)|].
  exact (IH _ _ _ _ _ _ _ _ _ _ _ M H0).
Qed.
End Filled.
