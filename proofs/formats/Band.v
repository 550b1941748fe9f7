(** [band]: the slices from the first that is not zero to the last.

    An interval of coordinates is stored as its first coordinate, and its length in running totals. *)
Require Import Arith List Bool Lia Sorted.
Require Export Atl.formats.Search.
Import ListNotations.

(** * Intervals in arrays: running totals of lengths, and first coordinates *)
Definition size (r : range) : nat := snd r - fst r.

Definition spans : storage range := {|
  arrays := list nat * list nat;
  none := ([0], []);
  single r := ([0; size r], [fst r]);
  join a b := (join_totals (fst a) (fst b), snd a ++ snd b);
  tidy a := totals (fst a) (ends (fst a)) /\ length (fst a) = S (length (snd a));
  many a := length (snd a);
  total a := ends (fst a);
  start a p := entry (fst a) p;
  stop a p := entry (fst a) (S p);
  row_at a p := (nth p (snd a) 0, nth p (snd a) 0 + (entry (fst a) (S p) - entry (fst a) p))
|}.

Lemma spans_laws : storage_laws spans (fun r => fst r <= snd r) size.
Proof.
  constructor; cbn [arrays none single join tidy many total start stop row_at spans fst snd].
  - unfold totals, ends, entry. cbn. repeat split; lia.
  - intros r H. unfold totals, ends, entry, size. cbn. repeat split; try lia.
    + intros [|p] P; lia.
    + destruct r. cbn in *. f_equal. lia.
  - intros a b [Ta La] [Tb Lb]. pose proof (join_totals_totals _ _ _ _ Ta Tb) as T. pose proof T as (_ & _ & _ & E).
    rewrite E, join_totals_length, app_length by apply Tb. repeat split; auto; try apply T. lia.
  - intros a b p [Ta La] [Tb Lb] P. rewrite !join_totals_left, app_nth1 by lia. auto.
  - intros a b p [Ta La] [Tb Lb] P. replace (length (snd a)) with (length (fst a) - 1) by lia.
    replace (S (length (fst a) - 1 + p)) with (length (fst a) - 1 + S p) by lia. rewrite !(join_totals_right' _ _ _ _ _ Ta Tb) by lia.
    rewrite app_nth2 by lia. replace (length (fst a) - 1 + p - length (snd a)) with p by lia. split; [reflexivity|]. f_equal. lia.
  - intros [pos es] [T _]. destruct (join_totals_none _ _ T) as [A B]. cbn in *. rewrite A, B, app_nil_r. auto.
  - intros a b c [Ta _] [Tb _] [Tc _]. rewrite app_assoc. f_equal. eapply join_totals_assoc; eassumption.
  - intros a p [T L] P. pose proof (totals_below _ _ T p (S p)). pose proof (totals_below_end _ _ (S p) T). unfold size. cbn. lia.
Qed.

Lemma slices_of r q : q < size r -> nth_error (map Some (seq (fst r) (size r))) q = Some (Some (fst r + q)).
Proof.
  intros Q. rewrite (nth_error_nth' _ (Some 0)) by (rewrite map_length, seq_length; exact Q).
  rewrite (map_nth Some), seq_nth by exact Q. reflexivity.
Qed.

(** * A band *)
Section Band.
Context (N : nat).

Definition band_of (t : list nat) : range := match nonzero t with [] => (0, 0) | c :: cs => (c, S (last cs c)) end.

Definition band_rows : rows := {|
  row := range;
  count := size;
  row_ok r := fst r <= snd r <= N;
  row_space _ := True;
  row_encode t := (band_of t, map Some (seq (fst (band_of t)) (size (band_of t))));
  row_crd r q := just (fst r + q);
  row_pos r c := if (fst r <=? c) && (c <? snd r) then Some (c - fst r) else None;
  row_valid _ _ := true
|}.

Lemma sorted_last cs c : StronglySorted lt (c :: cs) -> In (last cs c) (c :: cs) /\ forall d, In d (c :: cs) -> c <= d <= last cs c.
Proof.
  revert c. induction cs as [|e cs IH]; intros c So; [split; [left; reflexivity|intros d [<-|[]]; cbn; lia]|].
  apply StronglySorted_inv in So as [So F]. destruct (IH e So) as [L B].
  replace (last (e :: cs) c) with (last cs e).
  2: { clear. revert e c. induction cs as [|x cs IH]; intros e c; [reflexivity|exact (eq_trans (eq_sym (IH x e)) (IH x c))]. }
  split; [right; exact L|]. pose proof (Forall_inv F). intros d [<-|I]; [specialize (B e (or_introl eq_refl)); lia|specialize (B d I); lia].
Qed.

Lemma band_of_bounds t : fst (band_of t) <= snd (band_of t) <= length t /\ forall c, In c (nonzero t) -> within (band_of t) c.
Proof.
  unfold band_of. pose proof (nonzero_sorted t) as So. pose proof (nonzero_in t) as In_iff. destruct (nonzero t) as [|c cs]; [cbn; split; [lia|easy]|].
  destruct (sorted_last cs c So) as [L B]. specialize (B c (or_introl eq_refl)) as C. apply In_iff in L. cbn. split; [lia|].
  intros d I. specialize (B d I). unfold within. cbn. lia.
Qed.

Lemma band_row_laws : row_laws N band_rows.
Proof.
  assert (Pos : forall r c q, row_pos band_rows r c = Some q -> fst r <= c < snd r /\ q = c - fst r).
  { cbn [row_pos band_rows]. intros r c q. destruct (Nat.leb_spec (fst r) c), (Nat.ltb_spec c (snd r)); cbn; intros E; [injection E; lia|discriminate..]. }
  constructor; cbn [row count row_ok row_space row_encode row_valid band_rows fst snd].
  - intros t <- _. rewrite map_length, seq_length. split; [apply band_of_bounds|reflexivity].
  - intros t c q Len _ H. apply Pos in H as [B ->]. exists (Some c). split; [|reflexivity].
    rewrite slices_of by (unfold size; lia). do 2 f_equal. lia.
  - intros t c Len _ C. cbn [row_pos band_rows]. destruct (band_of_bounds t) as [_ B]. intros H.
    destruct (Nat.eq_dec (nth c t 0) 0) as [Z|Z]; [exact Z|exfalso]. specialize (B c). rewrite nonzero_in in B. unfold within in B.
    destruct (Nat.leb_spec (fst (band_of t)) c), (Nat.ltb_spec c (snd (band_of t))); cbn in H; try discriminate; lia.
  - discriminate.
  - intros r c q _ H _. apply Pos in H as [B ->]. apply within_just. lia.
  - intros r c q _ Q _ W. unfold size in Q. apply within_just in W as ->. cbn [row_pos band_rows].
    rewrite (proj2 (Nat.leb_le _ _)), (proj2 (Nat.ltb_lt _ _)) by lia. cbn. f_equal. lia.
  - intros r q _ _ _. exists (fst r + q). apply within_just. reflexivity.
  - intros r c q O H. apply Pos in H as [B ->]. unfold size. lia.
Qed.

Definition band : level := level_of N band_rows spans.
Theorem band_lawful : lawful band.
Proof. apply (level_of_lawful N band_rows spans _ band_row_laws spans_laws). cbn. lia. Qed.
End Band.
