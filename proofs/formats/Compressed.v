(** [compressed]: the coordinates of the slices that are not zero, in order, with running totals.

    What is stored for a coordinate is a key: the coordinate itself, less an offset for diagonals, or a tuple of coordinates
    where a level has several dimensions. Keys must increase with coordinates. *)
Require Import Arith List Bool Lia Sorted.
Require Export Atl.formats.Search.
Import ListNotations.

Section Compressed.
Context (N : nat) {K : Type} (key : nat -> K) (coordinate : K -> nat) (same : K -> K -> bool) (before : K -> K -> Prop).
Hypothesis same_iff : forall x y, same x y = true <-> x = y.
Hypothesis irreflexive : forall x, ~ before x x.
Hypothesis increasing : forall c d, c < d -> d < N -> before (key c) (key d).
Hypothesis coordinate_key : forall c, c < N -> coordinate (key c) = c.

Definition compressed_rows : rows := {|
  row := list K;
  count := @length K;
  row_ok r := StronglySorted before r /\ Forall (fun x => exists c, c < N /\ x = key c) r;
  row_space _ := True;
  row_encode t := (map key (nonzero t), map Some (nonzero t));
  row_crd r q := match nth_error r q with Some x => just (coordinate x) | None => (0, 0) end;
  row_pos r c := if c <? N then find_at (fun x => same x (key c)) r else None;
  row_valid _ _ := true
|}.

Lemma compressed_row_laws : row_laws N compressed_rows.
Proof using same_iff irreflexive increasing coordinate_key.
  assert (One : forall c d, c < N -> d < N -> key c = key d -> c = d).
  { intros c d C D E. rewrite <- (coordinate_key c C), E. apply coordinate_key, D. }
  constructor; cbn [row count row_ok row_space row_encode row_crd row_pos row_valid compressed_rows fst snd].
  - intros t Len _. rewrite !map_length. repeat split.
    + apply (sorted_map lt); [|apply nonzero_sorted]. intros a b _ Ib. intros H. apply increasing; [exact H|].
      apply nonzero_in in Ib. lia.
    + apply Forall_map, Forall_forall. intros c I. apply nonzero_in in I. exists c. split; [lia|reflexivity].
  - intros t c q Len _. destruct (Nat.ltb_spec c N) as [C|C]; [|discriminate]. intros H.
    destruct (find_at_some _ _ _ H) as (x & I & E & _). apply same_iff in E. subst x.
    rewrite nth_error_map in I. destruct (nth_error (nonzero t) q) as [d|] eqn:D; [|discriminate]. injection I as I.
    pose proof (proj1 (nonzero_in _ _) (nth_error_In _ _ D)) as [B _].
    apply One in I; [|lia|exact C]. subst d. exists (Some c). split; [exact (map_nth_error _ _ _ D)|reflexivity].
  - intros t c Len _ C. rewrite (proj2 (Nat.ltb_lt c N) C). intros H.
    destruct (Nat.eq_dec (nth c t 0) 0) as [Z|Z]; [exact Z|exfalso].
    pose proof (find_at_none _ _ H (key c)) as F. cbv beta in F. rewrite (proj2 (same_iff _ _) eq_refl) in F.
    discriminate F. apply in_map, nonzero_in. split; [lia|exact Z].
  - discriminate.
  - intros r c q [_ O]. destruct (Nat.ltb_spec c N) as [C|C]; [|discriminate]. intros H _.
    destruct (find_at_some _ _ _ H) as (x & I & E & _). apply same_iff in E. subst x. rewrite I, coordinate_key by exact C.
    apply within_just. reflexivity.
  - intros r c q [S O] Q _ W. destruct (nth_error_at r q Q) as [x I]. rewrite I in W. apply within_just in W as ->.
    destruct (proj1 (Forall_forall _ _) O x (nth_error_In _ _ I)) as (c & C & ->). rewrite coordinate_key by exact C.
    rewrite (proj2 (Nat.ltb_lt c N) C). apply (find_at_only _ _ _ (key c) I); [apply same_iff; reflexivity|].
    intros q' e I' E. apply same_iff in E. subst e. exact (NoDup_at _ _ _ _ (sorted_NoDup _ _ irreflexive S) I' I).
  - intros r q _ Q _. destruct (nth_error_at r q Q) as [x I]. rewrite I. exists (coordinate x). apply within_just. reflexivity.
  - intros r c q _. destruct (Nat.ltb_spec c N) as [C|C]; [|discriminate]. intros H. split; [exact C|].
    destruct (find_at_some _ _ _ H) as (x & I & _). exact (nth_error_below _ _ _ I).
Qed.

Definition compressed : level := level_of N compressed_rows segments.
Theorem compressed_lawful : lawful compressed.
Proof using same_iff irreflexive increasing coordinate_key.
  apply (level_of_lawful N compressed_rows segments _ compressed_row_laws segments_laws). auto.
Qed.
End Compressed.

(** A list of coordinates. *)
Definition sorted_list (N : nat) : level := compressed N (fun c => c) (fun c => c) Nat.eqb lt.
Theorem sorted_list_lawful N : lawful (sorted_list N).
Proof. apply compressed_lawful; auto using Nat.eqb_eq, Nat.lt_irrefl. Qed.

(** Lists of coordinates of a level of two dimensions, [n] by [m], which are compared as pairs. *)
Definition before_pair (x y : nat * nat) : Prop := fst x < fst y \/ fst x = fst y /\ snd x < snd y.
Definition same_pair (x y : nat * nat) : bool := (fst x =? fst y) && (snd x =? snd y).
Definition sorted_pairs (n m : nat) : level :=
  compressed (n * m) (fun c => (c / m, c mod m)) (fun x => fst x * m + snd x) same_pair before_pair.
Theorem sorted_pairs_lawful n m : lawful (sorted_pairs n m).
Proof.
  apply compressed_lawful.
  - intros [a b] [a' b']. unfold same_pair. cbn. rewrite andb_true_iff, !Nat.eqb_eq. split; [intros [-> ->]|intros E; injection E]; auto.
  - intros x. unfold before_pair. lia.
  - intros c d C D. unfold before_pair. cbn. assert (m <> 0) by nia. pose proof (Nat.div_mod c m). pose proof (Nat.div_mod d m).
    pose proof (Nat.mod_upper_bound c m). pose proof (Nat.mod_upper_bound d m).
    pose proof (Nat.div_le_mono c d m). destruct (Nat.lt_ge_cases (c / m) (d / m)); [left; lia|right].
    assert (c / m = d / m) by lia. split; [assumption|]. nia.
  - intros c C. cbn. assert (m <> 0) by nia. pose proof (Nat.div_mod c m). lia.
Qed.
