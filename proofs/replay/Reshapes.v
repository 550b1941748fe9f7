(** What [fill] accepts is so: reshape operators. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.replay.Buffers.
Import ListNotations.
Open Scope Z_scope.

Section Reshapes.
Context {V : Type} (Any : algebra V) (S : signature V) (ints : arrays) (c0 : context).
Notation models := (models Any S ints c0).
Notation right := (right Any S ints c0).
Notation val c := (Index.value c []).
Notation values c := (map (Index.value c [])).
Implicit Types (g : goal) (c : context) (T : list (tensor V)) (us vs s : list term) (to : target) (o : part) (h : how).

(** The operator, where its numbers are closed. *)
Lemma operator_closed g c T vs (A : algebra V) x e t : models g c T ->
  operator_of c0 (worth c vs) A x e t = operator_of c [] A (close_operator (close (deep g) vs) x) (map (close (deep g) vs) e) t.
Proof.
  intros M. assert (E : forall k, Index.value c0 (worth c vs) (nth k e (Lit 0)) = val c (nth k (map (close (deep g) vs) e) (Lit 0))).
  { intros k. change (Lit 0) with (close (deep g) vs (Lit 0)) at 2. rewrite map_nth. symmetry. apply (value_closed Any S ints c0 g c T _ _ M). }
  destruct x; cbn [operator_of close_operator]; rewrite ?E, <- ?(value_closed Any S ints c0 g c T vs _ M); reflexivity.
Qed.

Lemma padding_right g c T to : models g c T -> padding g to = true -> pads (alg Any S (ring to)) (held_before to).
Proof.
  intros M. unfold padding. destruct (held_before to); [discriminate| |]; intros H; [apply pads_zeroed|].
  apply pads_adding. exact (has_law_right Any S ints c0 g c T _ Add_0_r M H).
Qed.



(** The lemma of each operator. *)
Lemma reshaping_right g c T to x s asked r ls pads b P e t : models g c T ->
  reshaping (held_before to) x s = Some (asked, r, ls, pads) -> values c (firstn (List.length (staying x)) s) = values c (staying x) -> Index.holds c [] asked = true ->
  (if pads then padding g to else true) = true ->
  let to' := fold_right under_layer to ls in
  fills ints (alg Any S (ring to)) (known_of c (tensors g) T) (scratch_of c (spare g)) P b (values c r) (kept_of c (layers to'))
    (place_of c (extents to') (layers to')) t (held_before to) ->
  fills ints (alg Any S (ring to)) (known_of c (tensors g) T) (scratch_of c (spare g)) P b (values c s) (kept_of c (layers to))
    (place_of c (extents to) (layers to)) (operator_of c [] (alg Any S (ring to)) x e t) (held_before to).
Proof.
  intros M R K Q Pd to' F.
  destruct x as [n m|n m r'|r' n m|n m|n|n d|n|n d|n d|i|n m|r' q n m]; cbn [reshaping] in R.
  - destruct s as [|m' [|n' s]]; try discriminate. injection R as <- <- <- <-. cbn in K. injection K as K1 K2.
    cbn [map] in F |- *. rewrite K1, K2. cbn [operator_of]. apply fills_transpose. exact F.
  - destruct s as [|q' [|n' [|m' s]]]; try discriminate. injection R as <- <- <- <-. cbn in K. injection K as K1 K2 K3.
    cbn [map] in F |- *. rewrite K1, K2, K3. cbn [operator_of]. apply fills_rotate_3. exact F.
  - destruct s as [|n' [|m' [|q' s]]]; try discriminate. injection R as <- <- <- <-. cbn in K. injection K as K1 K2 K3.
    cbn [map] in F |- *. rewrite K1, K2, K3. cbn [operator_of]. apply fills_unrotate_3. exact F.
  - destruct s as [|r' s]; try discriminate. injection R as <- <- <- <-. cbn [operator_of]. apply fills_flatten; [exact Q|exact F].
  - destruct s as [|r' s]; try discriminate. injection R as <- <- <- <-. cbn [operator_of]. apply fills_trunc_r; [exact Q|exact F].
  - destruct s as [|r' s]; try discriminate. injection R as <- <- <- <-. cbn [operator_of]. apply fills_trunc_l; [exact Q|exact F].
  - destruct s as [|r' s]; try discriminate. injection R as <- <- <- <-. cbn [operator_of].
    apply fills_pad_r; [exact (padding_right g c T to M Pd)|exact Q|exact F].
  - destruct s as [|r' s]; try discriminate. injection R as <- <- <- <-. cbn [operator_of].
    apply fills_pad_l; [exact (padding_right g c T to M Pd)|exact Q|exact F].
  - destruct s as [|q [|r' s]]; try discriminate. destruct (is_unset (held_before to)) eqn:U; injection R as <- <- <- <-; cbn [operator_of].
    + apply fills_split_whole; [exact Q|exact F].
    + apply fills_split; [exact (padding_right g c T to M Pd)|exact Q|exact F].
  - destruct s as [|r' s]; try discriminate. injection R as <- <- <- <-. cbn [operator_of].
    apply fills_one_hot; [exact (padding_right g c T to M Pd)|exact Q|exact F].
  - destruct s as [|r' [|q s]]; try discriminate. injection R as <- <- <- <-. cbn [operator_of].
    apply fills_shear; [exact (padding_right g c T to M Pd)|exact Q|exact F].
  - destruct s as [|n' [|m' s]]; try discriminate. injection R as <- <- <- <-. cbn in K. injection K as K1 K2.
    cbn [map] in F |- *. rewrite K1, K2. cbn [operator_of]. apply fills_unshear; [exact Q|exact F].
Qed.

Lemma reshaped_right stay e h : right h -> right (Reshaped stay e h).
Proof.
  intros IH g c T to s us p vs ks o t M H. cbn [fill] in H.
  destruct o; [discriminate|]. destruct t as [| | | | | | | | | | | | | |a x es t| |]; try discriminate.
  destruct (reshaping _ _ s) as [[[[asked r] ls] pd]|] eqn:R; [|discriminate]. split_and.
  apply Nat.eqb_eq in H. cbn in H. subst a. apply (shown_holds M) in H2.
  unfold filled. cbn [part_of tensor_of]. rewrite (operator_closed g c T vs _ x es _ M).
  apply (reshaping_right g c T to _ s asked r ls pd); [exact M|exact R|exact (same_extents_value Any S ints c0 g c T _ _ _ M H3)|exact H2|exact H1|].
  specialize (IH _ _ _ _ _ _ _ _ _ _ _ M H0). unfold filled in IH.
  assert (E : ring (fold_right under_layer to ls) = ring to /\ into (fold_right under_layer to ls) = into to /\
    held_before (fold_right under_layer to ls) = held_before to) by (clear; induction ls as [|x ls IH]; [auto|exact IH]).
  destruct E as (E1 & E2 & E3). rewrite E1, E2, E3 in IH. exact IH.
Qed.
End Reshapes.
