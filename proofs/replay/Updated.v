(** What [update] accepts is so. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.States Atl.replay.Branches Atl.replay.Buffers.
Import ListNotations.
Open Scope Z_scope.

Section Updated.
Context {V : Type} (Any : algebra V) (S : signature V) (ints : arrays) (c0 : context).
Notation models := (models Any S ints c0).
Notation tensor_of := (tensor_of Any S c0).
Notation statement_of := (statement_of Any S c0).
Notation stand := (stand Any).
Notation values c := (map (Index.value c [])).
Implicit Types (g : goal) (c : context) (T : list (tensor V)) (us vs s pre : list term) (to : cells_word) (h : how).

Definition updated g c T to pre s us p vs ks t : Prop :=
  updates (ints := ints) (known_of c (tensors g) T) (scratch_of c (spare g)) (statement_of (worth c us) p) (of_buffer to) (values c (of_state to))
    (place_of c (of_room to) (through to)) (holds_at c (changing to)) (holds_at c (wanted to)) (values c pre) (values c s)
    (tensor_of (worth c vs) (stand T ks) t).

Definition right_update h : Prop := forall g c T to pre s us p vs ks t,
  models g c T -> update h g to pre s us p vs ks t = true -> updated g c T to pre s us p vs ks t.

(** * Fewer elements *)
Lemma hold_at_app c ps q e : hold_at c (ps ++ [q]) e = hold_at c ps e && holds_at c q e.
Proof. induction ps as [|p ps IH]; cbn; [apply andb_true_r|]. rewrite IH. apply andb_assoc. Qed.

Lemma fewer_one c b q x t : fewer (V := V) b (holds_at c q) (known_by c x t) (known_by c (fewer_entry b q x) t).
Proof.
  destruct x as [[y s] w]. cbn [fewer_entry]. destruct (String.eqb_spec y b) as [->|N].
  - destruct w as [[[r ls] ps]|]; cbn [known_by Known]; (split; [|split; [|split; [|split]]]); try reflexivity; cbn [present]; intros e E.
    + rewrite hold_at_app in E. apply andb_true_iff in E. tauto.
    + cbn in E. rewrite andb_true_r in E. auto.
  - split; [reflexivity|]. split; [reflexivity|]. split; [reflexivity|]. split; [reflexivity|]. intros e E. split; [exact E|].
    intros Y. exfalso. apply N. revert Y. destruct w as [[[r ls] ps]|]; trivial.
Qed.

Lemma fewer_entries c b q bs T : Forall2 (fewer b (holds_at c q)) (known_of c bs T) (known_of c (map (option_map (fewer_entry b q)) bs) T).
Proof.
  revert T. induction bs as [|[x|] bs IH]; intros [|t T]; cbn [known_of map option_map]; try constructor; auto. apply fewer_one.
Qed.

Lemma fewer_all b G : Forall2 (fewer (V := V) b (fun _ => true)) G G.
Proof. induction G as [|z G IH]; constructor; [repeat split; auto|exact IH]. Qed.

Lemma models_knowing g c T ts : List.length ts = List.length (tensors g) -> models g c T -> models (knowing ts g) c T.
Proof. intros L []. split; cbn; auto. congruence. Qed.

Lemma models_fewer g c T b q : models g c T -> models (fewer_known b q g) c T.
Proof. apply models_knowing. apply map_length. Qed.

Lemma beside_holds c k pre rest (xs ys : list Z) : forallb is_closed pre = true -> List.length xs = k ->
  holds_at c (beside k pre rest) (xs ++ values c pre ++ ys) = true -> holds_at c rest (xs ++ values c pre ++ ys) = true.
Proof.
  revert k xs. induction pre as [|i pre IH]; intros k xs Cl L; cbn [beside map app holds_at]; [auto|].
  cbn in Cl. apply andb_true_iff in Cl as [Ci Cl]. cbn [compare value_at]. rewrite (closed_value c i _ Ci).
  assert (N : nth k (xs ++ Index.value c [] i :: values c pre ++ ys) 0 = Index.value c [] i).
  { rewrite app_nth2, L, Nat.sub_diag by lia. reflexivity. }
  rewrite N, Z.ltb_irrefl. cbn [orb].
  replace (xs ++ Index.value c [] i :: values c pre ++ ys) with ((xs ++ [Index.value c [] i]) ++ values c pre ++ ys) by (rewrite <- app_assoc; reflexivity).
  apply IH; [exact Cl|]. rewrite app_length. cbn. lia.
Qed.

Lemma apart_holds c pre lo hi changed (j : Z) (l : index) : forallb is_closed (pre ++ [lo; hi]) = true ->
  holds_at c (apart_from pre lo hi changed) (values c pre ++ j :: l) = true -> Index.value c [] lo <= j < Index.value c [] hi ->
  holds_at c changed (values c pre ++ j :: l) = false.
Proof.
  rewrite forallb_app. intros [Cl Cl2]%andb_true_iff H B. cbn in Cl2. apply andb_true_iff in Cl2 as [Clo Cl2]. apply andb_true_iff in Cl2 as [Chi _].
  apply (beside_holds c 0 pre _ [] (j :: l)) in H; [|exact Cl|reflexivity]. cbn [app] in H.
  cbn [holds_at compare value_at] in H. rewrite (closed_value c lo _ Clo), (closed_value c hi _ Chi) in H.
  assert (N : nth (List.length pre) (values c pre ++ j :: l) 0 = j).
  { rewrite app_nth2; rewrite map_length; [rewrite Nat.sub_diag; reflexivity|lia]. }
  rewrite N in H. apply orb_true_iff in H as [H|H].
  - apply orb_true_iff in H as [H|H]; [apply Z.ltb_lt in H|apply Z.leb_le in H]; lia.
  - apply negb_true_iff, H.
Qed.

(** * Stores and loops *)
Lemma updated_entered g g' c T i to pre s us p v vs ks t : spare g' = map lift_buffer (spare g) ->
  updated g' (Number i :: c) T (lift_cells to) (map lift pre ++ [Free 0]) (map lift s) (Free 0 :: map lift us) p (v :: map lift vs) ks t ->
  updates (ints := ints) (known_of (Number i :: c) (tensors g') T) (scratch_of c (spare g)) (statement_of (i :: worth c us) p) (of_buffer to)
    (values c (of_state to)) (place_of c (of_room to) (through to)) (holds_at c (changing to)) (holds_at c (wanted to)) (values c pre ++ [i]) (values c s)
    (tensor_of (Index.value (Number i :: c) [] v :: worth c vs) (stand T ks) t).
Proof.
  intros Es. unfold updated. rewrite Es, scratch_of_lift, worth_entered. cbn [lift_cells of_buffer of_state of_room through changing wanted].
  rewrite !values_lift, place_of_lift, !holds_at_raise, map_app, values_lift. cbn [map worth]. rewrite values_lift. trivial.
Qed.

Lemma given_run (lo hi : int) (f : Z -> statement V) n (m : memory V) : gives ints lo 0 -> gives ints hi n ->
  run ints (For lo hi f) m = iterate (Z.to_nat n) (fun k => run ints (f (Z.of_nat k))) m.
Proof. intros L U. cbn [run]. rewrite L. cbn [bind]. rewrite U. cbn [bind]. rewrite Z.sub_0_r. reflexivity. Qed.

Lemma replaced_right reads cell asked r : right_update (Replaced reads cell asked r).
Proof.
  intros g c T to pre s us p vs ks t M H. cbn [update] in H.
  destruct s; [|discriminate]. destruct p as [| | | | | | | |b i v|]; try discriminate. split_and. apply String.eqb_eq in H. subst b.
  unfold updated. cbn [Words.statement_of map]. apply updates_store.
  - rewrite <- cell_value. exact (index_gives Any S ints c0 g c T us i reads _ cell M H3 H2).
  - apply (shown_holds M) in H1. rewrite holds_at_holds. pose proof (holds_close c [] [] pre (changing to)) as E. cbn [app Datatypes.length] in E.
    rewrite E in H1. exact H1.
  - exact (reads_right Any S ints c0 g c T us vs ks v t r M H0).
Qed.

Lemma loop_update extent reads lo reads' hi h : right_update h -> right_update (Loop extent reads lo reads' hi h).
Proof.
  intros IH g c T to pre s us p vs ks t M H. cbn [update] in H.
  destruct s as [|n' s]; [discriminate|]. destruct p as [| |l u q| | | | | | |]; try discriminate.
  destruct t as [| | | | | | | |n0 t| | | | | | | |]; try discriminate. split_and.
  set (n := close (deep g) vs n0) in *. apply (equals_value M) in H.
  assert (Lo := index_gives Any S ints c0 g c T us l reads (Lit 0) lo M H5 H4).
  assert (Hi := index_gives Any S ints c0 g c T us u reads' n hi M H3 H2).
  unfold updated. cbn [Words.statement_of Words.tensor_of map]. rewrite H. rewrite <- (value_closed Any S ints c0 g c T vs n0 M). fold n.
  set (N := Index.value c [] n) in *. set (pre' := map lift pre ++ [Free 0]) in *.
  set (q' := apart_from (map lift pre) (Lit 0) (Free 0) (raise_predicate (changing to))) in *.
  apply (updates_rows _ _ _ _ _ _ _ _ _ (fun i => tensor_of (i :: worth c vs) (stand T ks) t) N
    (fun k => statement_of (Z.of_nat k :: worth c us) q) Z.of_nat (fun k => holds_at (Number (Z.of_nat k) :: c) q')
    (fun k => known_of (Number (Z.of_nat k) :: c) (tensors (fewer_known (of_buffer to) q' (iterating n g))) T) (Z.to_nat N)).
  - intros h0. exact (given_run _ _ _ N h0 Lo Hi).
  - lia.
  - lia.
  - intros k e L _ Q j x J ->. rewrite <- (holds_at_raise c (Number (Z.of_nat k))).
    assert (E : values c pre ++ Z.of_nat j :: x = values (Number (Z.of_nat k) :: c) (map lift pre) ++ Z.of_nat j :: x) by (rewrite values_lift; reflexivity).
    rewrite E in Q |- *. apply (apart_holds (Number (Z.of_nat k) :: c) (map lift pre) (Lit 0) (Free 0)); [|exact Q|cbn; lia].
    unfold pre' in H1. rewrite forallb_app in H1 |- *. apply andb_true_iff in H1 as [H1 _]. rewrite H1. reflexivity.
  - intros k _. unfold fewer_known. cbn [knowing tensors iterating assuming entered].
    rewrite <- (known_of_lift c (Number (Z.of_nat k)) (tensors g) T) at 1. apply fewer_entries.
  - intros k L. assert (M' : models (fewer_known (of_buffer to) q' (iterating n g)) (Number (Z.of_nat k) :: c) T).
    { apply models_fewer, models_iterating; [exact M|apply Z.leb_le; lia|apply Z.ltb_lt; fold N; lia]. }
    specialize (IH _ _ _ _ _ _ _ _ _ _ _ M' H0).
    exact (updated_entered g (fewer_known (of_buffer to) q' (iterating n g)) c T _ to pre s us q (Free 0) vs ks t eq_refl IH).
  - intros i B F. destruct (F (Z.to_nat i)); lia.
Qed.

(** The others of a loop, of which nothing is stored. *)
Lemma others_right h g c T to pre n s us vs ks t q i : right_update h -> models g c T -> 0 <= i < Index.value c [] n ->
  update h (assuming q (iterating n g)) (lift_cells to) (map lift pre ++ [Free 0]) (map lift s) (map lift us) LSkip (Free 0 :: map lift vs) ks t = true ->
  Index.holds (Number i :: c) [] q = true ->
  updates (ints := ints) (known_of c (tensors g) T) (scratch_of c (spare g)) Skip (of_buffer to) (values c (of_state to))
    (place_of c (of_room to) (through to)) (holds_at c (changing to)) (holds_at c (wanted to)) (values c pre ++ [i]) (values c s)
    (tensor_of (i :: worth c vs) (stand T ks) t).
Proof.
  intros IH M B H Q. assert (M' : models (assuming q (iterating n g)) (Number i :: c) T).
  { apply models_assuming; [exact Q|]. apply models_iterating; [exact M|apply Z.leb_le; lia|apply Z.ltb_lt; lia]. }
  specialize (IH _ _ _ _ _ _ _ _ _ _ _ M' H). unfold updated in IH. cbn [assuming iterating entered tensors spare] in IH.
  rewrite known_of_lift, scratch_of_lift in IH. cbn [lift_cells of_buffer of_state of_room through changing wanted] in IH.
  rewrite !values_lift, place_of_lift, !holds_at_raise, map_app, values_lift in IH. cbn [map worth Words.statement_of] in IH. rewrite values_lift in IH.
  exact IH.
Qed.

(** One index, by a statement. *)
Lemma point_right h z g c T to pre n s us p vs ks t (P : statement V) i' : right_update h -> right_update z -> models g c T ->
  in_range (Index.value c [] i') (Index.value c [] n) = true ->
  (updated g c T to (pre ++ [i']) s us p (i' :: vs) ks t) ->
  (forall m, run ints P m = run ints (statement_of (worth c us) p) m) ->
  update z (assuming (Not (Cmp Eq (Free 0) (lift i'))) (iterating n g)) (lift_cells to) (map lift pre ++ [Free 0]) (map lift s) (map lift us) LSkip
    (Free 0 :: map lift vs) ks t = true ->
  updates (ints := ints) (known_of c (tensors g) T) (scratch_of c (spare g)) P (of_buffer to) (values c (of_state to))
    (place_of c (of_room to) (through to)) (holds_at c (changing to)) (holds_at c (wanted to)) (values c pre) (Index.value c [] n :: values c s)
    (gen (Index.value c [] n) (fun i => tensor_of (i :: worth c vs) (stand T ks) t)).
Proof.
  intros _ IZ M R U E H. apply in_range_iff in R.
  apply (updates_rows _ _ _ _ _ _ _ _ _ (fun i => tensor_of (i :: worth c vs) (stand T ks) t) (Index.value c [] n)
    (fun _ => statement_of (worth c us) p) (fun _ => Index.value c [] i') (fun _ _ => true) (fun _ => known_of c (tensors g) T) 1).
  - intros m. rewrite E. reflexivity.
  - intros _ _. exact R.
  - lia.
  - lia.
  - intros _ _. apply fewer_all.
  - intros _ _. unfold updated in U. rewrite map_app in U. exact U.
  - intros i B F. apply (others_right z g c T to pre n s us vs ks t _ i IZ M B H). cbn [Index.holds compare]. rewrite value_lift.
    apply negb_true_iff, Z.eqb_neq. intros Q. apply (F 0%nat); [lia|]. symmetry. exact Q.
Qed.

Lemma pointed_right i extent asked h z : right_update h -> right_update z -> right_update (Pointed i extent asked h z).
Proof.
  intros IH IZ g c T to pre s us p vs ks t M H. cbn [update] in H.
  destruct s as [|n' s]; [discriminate|]. destruct t as [| | | | | | | |n0 t| | | | | | | |]; try discriminate. split_and.
  apply (equals_value M) in H. unfold updated. cbn [Words.tensor_of map]. rewrite H, <- (value_closed Any S ints c0 g c T vs n0 M).
  apply (inside_range M) in H2.
  exact (point_right h z g c T to pre _ s us p vs ks t _ _ IH IZ M H2 (IH _ _ _ _ _ _ _ _ _ _ _ M H1) (fun _ => eq_refl) H0).
Qed.

Lemma pointed_if_right i extent reads e h z : right_update h -> right_update z -> right_update (Pointed_if i extent reads e h z).
Proof.
  intros IH IZ g c T to pre s us p vs ks t M H. cbn [update] in H.
  destruct s as [|n' s]; [discriminate|]. destruct p as [| | |q p [| | | | | | | | |]| | | | | |]; try discriminate.
  destruct t as [| | | | | | | |n0 t| | | | | | | |]; try discriminate. split_and.
  apply (equals_value M) in H. unfold updated. cbn [Words.tensor_of Words.statement_of map]. rewrite H, <- (value_closed Any S ints c0 g c T vs n0 M).
  set (n := close (deep g) vs n0) in *. set (c' := close (deep g) us i) in *.
  assert (D := test_decides Any S ints c0 g c T us q reads (inside c' n) e M H3 H2).
  destruct (Index.holds c [] (inside c' n)) eqn:R.
  - assert (M' : models (assuming (inside c' n) g) c T) by (apply models_assuming; assumption).
    refine (point_right h z g c T to pre n s us p vs ks t _ c' IH IZ M R _ _ H0).
    + exact (IH _ _ _ _ _ _ _ _ _ _ _ M' H1).
    + intros m. cbn [run]. rewrite D. reflexivity.
  - apply (updates_rows _ _ _ _ _ _ _ _ _ (fun i => tensor_of (i :: worth c vs) (stand T ks) t) (Index.value c [] n)
      (fun _ => Skip) (fun _ => 0) (fun _ _ => true) (fun _ => known_of c (tensors g) T) 0); try lia.
    + intros m. cbn [run]. rewrite D. reflexivity.
    + intros j B _. apply (others_right z g c T to pre n s us vs ks t _ j IZ M B H0). cbn [Index.holds compare]. rewrite value_lift.
      apply negb_true_iff, Z.eqb_neq. intros Q. change (j = Index.value c [] c') in Q. cbn in R. rewrite <- Q in R. apply andb_false_iff in R as [R|R]; [apply Z.leb_gt in R|apply Z.ltb_ge in R]; lia.
Qed.

(** * Choices *)
Lemma selected_update reads e h z : right_update h -> right_update z -> right_update (Selected reads e h z).
Proof.
  intros IH IZ g c T to pre s us p vs ks t M H. cbn [update] in H.
  destruct p as [| | |q p p'| | | | | |]; try discriminate. destruct t as [| | | | | | | | | | |a t u| | | | |]; try discriminate. split_and.
  assert (D := test_decides Any S ints c0 g c T us q reads _ e M H H2).
  unfold updated. cbn [Words.tensor_of Words.statement_of]. rewrite <- (holds_closed Any S ints c0 g c T vs a M).
  apply (updates_if _ _ _ _ _ _ _ _ _ _ _ _ _ _ D); intros Q; rewrite Q.
  - exact (IH _ _ _ _ _ _ _ _ _ _ _ (models_assuming Any S ints c0 g c T _ Q M) H1).
  - exact (IZ _ _ _ _ _ _ _ _ _ _ _ (models_denying Any S ints c0 g c T _ Q M) H0).
Qed.

Lemma selected_other_update reads e h z : right_update h -> right_update z -> right_update (Selected_other reads e h z).
Proof.
  intros IH IZ g c T to pre s us p vs ks t M H. cbn [update] in H.
  destruct p as [| | |q p p'| | | | | |]; try discriminate. destruct t as [| | | | | | | | | | |a t u| | | | |]; try discriminate. split_and.
  assert (D := test_decides Any S ints c0 g c T us q reads _ e M H H2).
  unfold updated. cbn [Words.tensor_of Words.statement_of]. rewrite <- (holds_closed Any S ints c0 g c T vs a M). cbn [Index.holds] in D.
  apply (updates_if _ _ _ _ _ _ _ _ _ _ _ _ _ _ D); intros Q.
  - apply negb_true_iff in Q as Q'. rewrite Q'. exact (IH _ _ _ _ _ _ _ _ _ _ _ (models_denying Any S ints c0 g c T _ Q' M) H1).
  - apply negb_false_iff in Q as Q'. rewrite Q'. exact (IZ _ _ _ _ _ _ _ _ _ _ _ (models_denying Any S ints c0 g c T (Not (close_predicate (deep g) vs a)) Q M) H0).
Qed.

Lemma selected_true_update e h : right_update h -> right_update (Selected_true e h).
Proof.
  intros IH g c T to pre s us p vs ks t M H. cbn [update] in H.
  destruct t as [| | | | | | | | | | |a t u| | | | |]; try discriminate. split_and. apply (shown_holds M) in H.
  unfold updated. cbn [Words.tensor_of]. rewrite <- (holds_closed Any S ints c0 g c T vs a M), H. exact (IH _ _ _ _ _ _ _ _ _ _ _ M H0).
Qed.

Lemma selected_false_update e h : right_update h -> right_update (Selected_false e h).
Proof.
  intros IH g c T to pre s us p vs ks t M H. cbn [update] in H.
  destruct t as [| | | | | | | | | | |a t u| | | | |]; try discriminate. split_and. apply (denied_holds M) in H.
  unfold updated. cbn [Words.tensor_of]. rewrite <- (holds_closed Any S ints c0 g c T vs a M), H. exact (IH _ _ _ _ _ _ _ _ _ _ _ M H0).
Qed.

(** * No statement *)
Lemma peel_value t ys vs c ts t' rest vs' : peel t ys vs = (t', rest, vs') ->
  tensor_of (worth c vs) ts t (values c ys) = tensor_of (worth c vs') ts t' (values c rest).
Proof.
  revert ys vs. induction t; intros ys vs E; cbn [peel] in E; try (injection E as <- <- <-; reflexivity).
  destruct ys as [|y ys]; [injection E as <- <- <-; reflexivity|]. cbn [map Words.tensor_of]. exact (IHt _ _ E).
Qed.

Lemma all_inside_right g c T s is es : models g c T -> all_inside g s is es = true -> inbox (values c is) (values c s).
Proof.
  intros M. revert is es. induction s as [|n s IH]; intros [|i is] [|e es]; cbn [all_inside]; try discriminate; [intros _; exact I|].
  intros H. apply andb_true_iff in H as [H K]. apply (inside_range M) in H. split; [apply in_range_iff, H|exact (IH _ _ K)].
Qed.

Lemma inbox_app l l' (s s' : shape) : inbox l s -> inbox l' s' -> inbox (l ++ l') (s ++ s').
Proof. revert s. induction l as [|i l IH]; intros [|n s]; cbn; try easy. intros [B C] D. auto. Qed.

Lemma same_cell_right g c T b cell vs ks t ys row e m : models g c T -> same_cell g b cell vs ks t ys row e = true ->
  Forall (holds m) (known_of c (tensors g) T) -> load m b (Index.value c [] cell) = Some (tensor_of (worth c vs) (stand T ks) t (values c ys)).
Proof.
  intros M H W. unfold same_cell in H. destruct (peel t ys vs) as [[t' rest] vs'] eqn:P.
  rewrite (peel_value _ _ _ c (stand T ks) _ _ _ P). destruct (read_at t' []) as [[k is]|] eqn:R; [|discriminate].
  destruct (nth_error ks k) as [j|] eqn:K; [|discriminate]. destruct (nth_error (tensors g) j) as [[[[b' s] w]|]|] eqn:N; try discriminate.
  split_and. apply String.eqb_eq in H. subst b'.
  destruct (in_reach_right Any S ints c0 g c T vs' _ is _ M H3) as [B F]. pose proof (all_inside_right g c T _ _ _ M H2) as B'.
  destruct (known_in c (tensors g) T j _ (many_of _ _ _ _ _ _ _ M) N) as (x & X & I).
  rewrite Forall_forall in W. specialize (W _ I).
  set (own := map (fun x => close (deep g) vs' (snd x)) is ++ rest) in *.
  assert (Ps := there_ok_right Any S ints c0 g c T b s w x own _ M H1). assert (E := cell_term_of_value c b s w x own).
  assert (D : dims (known_by c (b, s, w) x) = values c s /\ name (known_by c (b, s, w) x) = b /\ held (known_by c (b, s, w) x) = x).
  { destruct w as [[[r ls] ps]|]; repeat split. }
  destruct D as (D1 & D2 & D3). unfold holds in W. rewrite D1, D2, D3 in W.
  assert (Bo : inbox (values c own) (values c s)).
  { unfold own. rewrite map_app, map_map, <- (firstn_skipn (List.length is) s), map_app. apply inbox_app; assumption. }
  apply (equals_value M) in H0. rewrite H0, E, (W _ Bo Ps).
  rewrite (read_at_value Any S c0 _ _ t' [] k is (values c rest) R is) by (rewrite ?app_nil_r; auto). rewrite (stand_nth Any T ks k j x K X).
  unfold own. rewrite map_app, map_map. do 3 f_equal. apply map_ext. intros y. apply (value_closed Any S ints c0 g c T _ _ M).
Qed.

Lemma known_entries l c bs T : known_of (entries l c) (times (List.length l) (map (option_map lift_entry)) bs) T = known_of c bs T.
Proof. revert c bs. induction l as [|i l IH]; intros c bs; [reflexivity|]. cbn [entries fold_left List.length times]. rewrite IH. apply known_of_lift. Qed.

Lemma tensors_entered n g : tensors (times n entered g) = times n (map (option_map lift_entry)) (tensors g).
Proof. revert g. induction n as [|n IH]; intros g; [reflexivity|]. cbn [times]. rewrite IH. reflexivity. Qed.

Lemma cells_entries l c to : let to' := times (List.length l) lift_cells to in
  of_buffer to' = of_buffer to /\ place_of (entries l c) (of_room to') (through to') = place_of c (of_room to) (through to) /\
  holds_at (entries l c) (wanted to') = holds_at c (wanted to).
Proof.
  revert c to. induction l as [|i l IH]; intros c to; [auto|]. change (entries (i :: l) c) with (entries l (Number i :: c)). cbn zeta. cbn [List.length times].
  destruct (IH (Number i :: c) (lift_cells to)) as (E & P & Q). rewrite E, P, Q.
  cbn [lift_cells of_buffer of_room through wanted]. rewrite place_of_lift, holds_at_raise. auto.
Qed.

Lemma among_models g c T s l : models g c T -> inbox l (values c s) -> List.length s = List.length l /\ models (among g s) (entries l c) T.
Proof.
  intros M B.
  assert (L : List.length s = List.length l).
  { rewrite <- (map_length (Index.value c []) s). revert B. generalize (values c s) as r. clear.
    induction l as [|i l IH]; intros [|n r]; cbn; try easy. intros [_ B]. rewrite (IH r B). reflexivity. }
  split; [exact L|]. unfold among. rewrite L.
  apply models_assuming; [reflexivity|]. apply models_assuming; [|apply models_entries, M].
  rewrite box_value by (unfold new_indices; rewrite map_length, rev_length, seq_length, lifts_length; symmetry; exact L).
  unfold new_indices. rewrite entries_values, values_entries. apply in_box_iff, B.
Qed.

Lemma own_values l c pre : values (entries l c) (times (List.length l) (map lift) pre ++ new_indices (List.length l)) = values c pre ++ l.
Proof. rewrite map_app, values_entries. unfold new_indices. rewrite entries_values. reflexivity. Qed.

Lemma wanted_models g c T to pre s l : models g c T -> inbox l (values c s) -> holds_at c (wanted to) (values c pre ++ l) = true ->
  models (assuming (close_predicate 0 (times (List.length s) (map lift) pre ++ new_indices (List.length s)) (wanted (times (List.length s) lift_cells to)))
    (among g s)) (entries l c) T.
Proof.
  intros M B W. destruct (among_models g c T s l M B) as [L M']. apply models_assuming; [|exact M']. rewrite L.
  pose proof (holds_close (entries l c) [] [] (times (List.length l) (map lift) pre ++ new_indices (List.length l)) (wanted (times (List.length l) lift_cells to))) as E.
  cbn [app Datatypes.length] in E. rewrite E, own_values, <- holds_at_holds.
  destruct (cells_entries l c to) as (_ & _ & Q). rewrite Q. exact W.
Qed.

Lemma unheld_right e : right_update (Unheld e).
Proof.
  intros g c T to pre s us p vs ks t M H. cbn [update] in H. destruct p; try discriminate.
  unfold updated. cbn [Words.statement_of]. apply updates_none. intros m [W _] l B _ Q. exfalso.
  assert (M' := wanted_models g c T to pre s l M B Q). apply (shown_holds M') in H. discriminate.
Qed.

Lemma stays_right row e : right_update (Stays row e).
Proof.
  intros g c T to pre s us p vs ks t M H. cbn [update] in H. destruct p; try discriminate.
  unfold updated. cbn [Words.statement_of]. apply updates_none. intros m [W _] l B _ Q.
  assert (M' := wanted_models g c T to pre s l M B Q). destruct (among_models g c T s l M B) as [L _].
  apply (same_cell_right _ _ T _ _ _ _ _ _ _ _ m M') in H.
  - rewrite L in H. destruct (cells_entries l c to) as (E & P & _). rewrite E, cell_value, own_values, P in H. rewrite H. f_equal.
    unfold worth. rewrite values_entries. unfold new_indices. rewrite entries_values. reflexivity.
  - cbn [assuming among tensors]. rewrite tensors_entered, L, known_entries. exact W.
Qed.

Theorem update_right h : right_update h.
Proof.
  induction h; try (intros ? ? ? ? ? ? ? ? ? ? ? ? X; discriminate X).
  - apply loop_update; assumption.
  - apply selected_update; assumption.
  - apply selected_true_update; assumption.
  - apply selected_false_update; assumption.
  - apply replaced_right.
  - apply pointed_right; assumption.
  - apply pointed_if_right; assumption.
  - apply selected_other_update; assumption.
  - apply stays_right.
  - apply unheld_right.
Qed.
End Updated.
