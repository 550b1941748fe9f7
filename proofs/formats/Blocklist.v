(** [blocklist]: the runs of neighbouring slices that are not zero, each with its first coordinate; every slice has a position. *)
Require Import Arith List Bool Lia Sorted.
Require Export Atl.formats.Band Atl.formats.Intervals.
Import ListNotations.

Definition sizes (r : list range) : nat := fold_right (fun a n => size a + n) 0 r.

(** * Lists of intervals in arrays: running totals of their number, and the intervals of all rows as a band has them *)
Definition span_lists : storage (list range) := {|
  arrays := list nat * arrays spans;
  none := ([0], none spans);
  single r := ([0; length r], fold_right (join spans) (none spans) (map (single spans) r));
  join a b := (join_totals (fst a) (fst b), join spans (snd a) (snd b));
  tidy a := totals (fst a) (many spans (snd a)) /\ tidy spans (snd a);
  many a := length (fst a) - 1;
  total a := total spans (snd a);
  start a p := entry (fst (snd a)) (entry (fst a) p);
  stop a p := entry (fst (snd a)) (entry (fst a) (S p));
  row_at a p := map (row_at spans (snd a)) (seq (entry (fst a) p) (entry (fst a) (S p) - entry (fst a) p))
|}.

Definition forward (a : range) : Prop := fst a <= snd a.

Lemma packed r : Forall forward r -> let a := fold_right (join spans) (none spans) (map (single spans) r) in
  tidy spans a /\ many spans a = length r /\ total spans a = sizes r /\ map (row_at spans a) (seq 0 (length r)) = r.
Proof.
  induction 1 as [|x r F _ (T & M & L & A)]; cbn [map fold_right length sizes].
  - destruct (tidy_none _ _ _ spans_laws) as (T & M & L). auto.
  - set (b := fold_right _ _ _) in *. destruct (tidy_single _ _ _ spans_laws x F) as (T1 & M1 & L1 & _ & A1).
    destruct (tidy_join _ _ _ spans_laws _ _ T1 T) as (TJ & MJ & LJ). cbv zeta. rewrite MJ, LJ, M, M1, L, L1.
    repeat split; try apply TJ. cbn [seq map]. f_equal.
    + destruct (join_left _ _ _ spans_laws _ _ 0 T1 T) as [_ E]; [rewrite M1; lia|]. rewrite E. exact A1.
    + rewrite <- seq_shift, map_map. rewrite <- A at 2. apply map_ext_in. intros i I. apply in_seq in I.
      destruct (join_right _ _ _ spans_laws _ _ i T1 T) as [_ E]; [lia|]. rewrite M1 in E. exact E.
Qed.

Lemma map_seq_shift {E} (f : nat -> E) m k n : map f (seq (m + k) n) = map (fun i => f (m + i)) (seq k n).
Proof. revert k. induction n as [|n IH]; intros k; cbn; [reflexivity|]. rewrite <- (IH (S k)), Nat.add_succ_r. reflexivity. Qed.

Lemma sizes_at a k n : tidy spans a -> k + n <= many spans a ->
  entry (fst a) (k + n) = entry (fst a) k + sizes (map (row_at spans a) (seq k n)).
Proof.
  intros T. revert k. induction n as [|n IH]; intros k K; cbn [seq map sizes fold_right]; [rewrite Nat.add_0_r; lia|].
  replace (k + S n) with (S k + n) by lia. rewrite IH by lia.
  destruct (row_bounds _ _ _ spans_laws a k T) as [E _]; [lia|]. change (start spans a k) with (entry (fst a) k) in E.
  change (stop spans a k) with (entry (fst a) (S k)) in E. rewrite E. unfold sizes. lia.
Qed.

Lemma span_lists_laws : storage_laws span_lists (Forall forward) sizes.
Proof.
  assert (Le : forall a p, tidy span_lists a -> p < many span_lists a ->
    entry (fst a) p <= entry (fst a) (S p) <= many spans (snd a) /\ length (fst (snd a)) = S (many spans (snd a))).
  { intros a p [T [_ L]] P. cbn [many span_lists] in P. pose proof (totals_below _ _ T p (S p)). pose proof (totals_below_end _ _ (S p) T).
    split; [lia|exact L]. }
  constructor; cbn [arrays none single join many total start stop row_at span_lists fst snd].
  - destruct (tidy_none _ _ _ spans_laws) as (T & M & L). repeat split; try apply T; cbn; lia.
  - intros r F. destruct (packed r F) as (T & M & L & A). cbn [tidy span_lists fst snd]. rewrite L, M. change (entry [0; ?n] 0) with 0.
    change (entry [0; ?n] 1) with n. rewrite Nat.sub_0_r. repeat split; auto; try apply T; try (cbn; lia).
    intros [|p] P; cbn in *; lia.
  - intros a b [Ta Ia] [Tb Ib]. destruct (tidy_join _ _ _ spans_laws _ _ Ia Ib) as (T & M & L). split; [split|split]; auto.
    + cbn [join fst snd span_lists]. rewrite M. apply join_totals_totals; assumption.
    + rewrite join_totals_length by apply Tb. destruct Ta as (? & _), Tb as (? & _). lia.
  - intros a b p Ta Tb P. destruct (Le a p Ta P) as [H L]. destruct Ta as [Ta Ia], Tb as [Tb Ib]. rewrite !(join_totals_left (fst a)) by lia.
    split; [apply join_totals_left; lia|]. apply map_ext_in. intros i I. apply in_seq in I.
    apply (join_left _ _ _ spans_laws _ _ i Ia Ib). lia.
  - intros a b p Ta Tb P. destruct (Le b p Tb P) as [H L]. destruct Ta as [Ta Ia], Tb as [Tb Ib].
    replace (S (length (fst a) - 1 + p)) with (length (fst a) - 1 + S p) by lia.
    rewrite !(join_totals_right' _ _ _ _ _ Ta Tb) by lia. split.
    + replace (many spans (snd a)) with (length (fst (snd a)) - 1) by (destruct Ia as [_ ->]; cbn; lia).
      apply (join_totals_right' _ _ _ _ _ (proj1 Ia) (proj1 Ib)). lia.
    + replace (_ + entry (fst b) (S p) - _) with (entry (fst b) (S p) - entry (fst b) p) by lia. rewrite map_seq_shift.
      apply map_ext_in. intros i I. apply in_seq in I. apply (join_right _ _ _ spans_laws _ _ i Ia Ib). lia.
  - intros [pos s] [T I]. destruct (join_totals_none _ _ T) as [A B]. destruct (join_none _ _ _ spans_laws s I) as [A' B'].
    cbn [fst snd] in *. rewrite A, B, A', B'. auto.
  - intros a b c [Ta Ia] [Tb Ib] [Tc Ic]. f_equal; [eapply join_totals_assoc; eassumption|].
    exact (join_assoc _ _ _ spans_laws _ _ _ Ia Ib Ic).
  - intros a p T P. destruct (Le a p T P) as [H L]. destruct T as [T I]. split.
    + rewrite <- sizes_at by (auto; lia). f_equal. lia.
    + apply (totals_below_end _ _ _ (proj1 I)). lia.
Qed.

(** * Positions along a list of intervals *)
Fixpoint offset (r : list range) (c : nat) : option nat :=
  match r with
  | [] => None
  | a :: r => if has c a then Some (c - fst a) else option_map (Nat.add (size a)) (offset r c)
  end.
Fixpoint coordinate (r : list range) (q : nat) : nat :=
  match r with
  | [] => 0
  | a :: r => if q <? size a then fst a + q else coordinate r (q - size a)
  end.
Definition slices (r : list range) : list (option nat) := flat_map (fun a => map Some (seq (fst a) (size a))) r.

Lemma slices_length r : length (slices r) = sizes r.
Proof.
  unfold slices, sizes. induction r as [|a r IH]; [reflexivity|]. cbn [flat_map fold_right].
  rewrite app_length, map_length, seq_length, IH. reflexivity.
Qed.

Lemma offset_some r c q : offset r c = Some q ->
  nth_error (slices r) q = Some (Some c) /\ coordinate r q = c /\ exists a, In a r /\ within a c.
Proof.
  revert q. induction r as [|a r IH]; intros q; [discriminate|]. cbn [offset coordinate slices flat_map In]. destruct (has c a) eqn:H.
  - apply has_iff in H. intros E. injection E as <-. pose proof H as W. unfold within in H.
    assert (S : c - fst a < size a) by (unfold size; lia). rewrite (proj2 (Nat.ltb_lt _ _) S).
    rewrite nth_error_app1 by (rewrite map_length, seq_length; exact S). rewrite slices_of by exact S.
    replace (fst a + (c - fst a)) with c by lia. eauto 6.
  - destruct (offset r c) as [q'|]; [|discriminate]. intros E. injection E as <-. destruct (IH q' eq_refl) as (I & C & b & B & W).
    rewrite nth_error_app2, map_length, seq_length by (rewrite map_length, seq_length; lia).
    rewrite (proj2 (Nat.ltb_ge _ _)) by lia. replace (size a + q' - size a) with q' by lia. eauto 6.
Qed.

Lemma offset_none r c : offset r c = None -> forall a, In a r -> ~ within a c.
Proof.
  induction r as [|a r IH]; cbn; [easy|]. destruct (has c a) eqn:H; [discriminate|]. destruct (offset r c); [discriminate|].
  intros _ b [<-|I]; [rewrite <- has_iff, H; discriminate|auto].
Qed.

Lemma offset_at r q : StronglySorted apart r -> q < sizes r ->
  offset r (coordinate r q) = Some q /\ exists a, In a r /\ within a (coordinate r q).
Proof.
  intros So. revert q. induction So as [|a r So IH F]; intros q Q; [cbn in Q; lia|]. cbn [offset coordinate In sizes fold_right] in *. unfold size in *.
  destruct (Nat.ltb_spec q (snd a - fst a)) as [H|H].
  - assert (W : within a (fst a + q)) by (unfold within; lia). rewrite (proj2 (has_iff _ _) W). split; [f_equal; lia|eauto].
  - destruct (IH (q - (snd a - fst a))) as [E (b & B & W)]; [unfold sizes, size in *; lia|].
    assert (N : has (coordinate r (q - (snd a - fst a))) a = false).
    { apply not_true_iff_false. rewrite has_iff. pose proof (proj1 (Forall_forall _ _) F b B) as P. unfold apart, within in *. lia. }
    rewrite N, E. cbn. split; [f_equal; lia|eauto].
Qed.

Section Blocklist.
Context (N : nat).

Definition neighbours (t : list nat) (c : nat) : bool := present t c && present t (S c).
Definition blocks (t : list nat) : list range := runs (length t) (neighbours t) (present t).

Definition blocklist_rows : rows := {|
  row := list range;
  count := sizes;
  row_ok r := StronglySorted apart r /\ Forall (proper N) r;
  row_space _ := True;
  row_encode t := (blocks t, slices (blocks t));
  row_crd r q := just (coordinate r q);
  row_pos := offset;
  row_valid _ _ := true
|}.

Lemma neighbours_present t c : neighbours t c = true -> present t (S c) = present t c.
Proof. unfold neighbours. rewrite andb_true_iff. intros [-> ->]. reflexivity. Qed.

Lemma blocklist_row_laws : row_laws N blocklist_rows.
Proof.
  constructor; cbn [row count row_ok row_space row_encode row_crd row_pos row_valid blocklist_rows fst snd].
  - intros t <- _. split; [apply runs_apart|apply slices_length].
  - intros t c q _ _ H. exists (Some c). split; [apply (offset_some _ _ _ H)|reflexivity].
  - intros t c Len _ C H. destruct (Nat.eqb_spec (nth c t 0) 0) as [Z|Z]; [exact Z|exfalso].
    destruct (runs_cover (length t) (neighbours t) (present t) (neighbours_present t) c) as (a & I & W); [lia| |].
    + unfold present. apply negb_true_iff, Nat.eqb_neq, Z.
    + exact (offset_none _ _ H a I W).
  - discriminate.
  - intros r c q _ H _. apply within_just. destruct (offset_some _ _ _ H) as (_ & -> & _). reflexivity.
  - intros r c q (So & _) Q _ W. apply within_just in W as ->. apply offset_at; assumption.
  - intros r q _ _ _. exists (coordinate r q). apply within_just. reflexivity.
  - intros r c q (_ & F) H. destruct (offset_some _ _ _ H) as (I & _ & a & A & W).
    pose proof (proj1 (Forall_forall _ _) F a A) as B. unfold proper, within in *. split; [lia|].
    rewrite <- slices_length. exact (nth_error_below _ _ _ I).
Qed.

Definition blocklist : level := level_of N blocklist_rows span_lists.
Theorem blocklist_lawful : lawful blocklist.
Proof.
  apply (level_of_lawful N blocklist_rows span_lists _ blocklist_row_laws span_lists_laws).
  intros r [_ F]. eapply Forall_impl; [|exact F]. unfold proper, forward. lia.
Qed.
End Blocklist.
