(** [rankmask]: a bit for each coordinate, and slices only where it is set, found by how many are set before. *)
Require Import Arith List Bool Lia Sorted.
Require Export Atl.formats.Dense.
Import ListNotations.

Definition bit (r : list bool) (c : nat) : bool := nth c r false.
Definition below (r : list bool) (c : nat) : list nat := filter (bit r) (seq 0 c).

(** How many of the first bits are set, and which are. *)
Definition rank_of (r : list bool) (c : nat) : nat := length (below r c).
Definition set (r : list bool) : list nat := below r (length r).

Lemma below_S r c : below r (S c) = below r c ++ if bit r c then [c] else [].
Proof. unfold below. rewrite seq_S, filter_app. reflexivity. Qed.

Lemma rank_S r c : rank_of r (S c) = rank_of r c + Nat.b2n (bit r c).
Proof. unfold rank_of. rewrite below_S, app_length. destruct (bit r c); reflexivity. Qed.

Lemma set_at r c : bit r c = true -> nth_error (set r) (rank_of r c) = Some c.
Proof.
  intros B. pose proof (bit_below r c B) as L. unfold set, rank_of, below.
  replace (length r) with (c + S (length r - c - 1)) by lia. rewrite seq_app, filter_app. rewrite nth_error_app2 by lia.
  rewrite Nat.sub_diag. cbn [seq filter Nat.add]. rewrite B. reflexivity.
Qed.

(** * Bits with ranks in arrays *)
Section Ranked.
Context (w : nat).

Definition ranked : storage (list bool) := {|
  arrays := nat * (list bool * list nat);
  none := (0, ([], [0]));
  single r := (1, (r, map (rank_of r) (seq 0 (S (length r)))));
  join a b := (fst a + fst b, (fst (snd a) ++ fst (snd b), join_totals (snd (snd a)) (snd (snd b))));
  tidy a := let '(n, (bits, ranks)) := a in
    length bits = n * w /\ length ranks = S (length bits) /\ entry ranks 0 = 0 /\
    forall c, c < length bits -> entry ranks (S c) = entry ranks c + Nat.b2n (bit bits c);
  many := fst;
  total a := ends (snd (snd a));
  start a p := entry (snd (snd a)) (p * w);
  stop a p := entry (snd (snd a)) (p * w + w);
  row_at a p := part (fst (snd a)) (p * w) w
|}.

Lemma tidy_totals n bits ranks : tidy ranked (n, (bits, ranks)) -> totals ranks (ends ranks).
Proof.
  intros (_ & L & Z & St). repeat split; [lia|exact Z|]. intros c C. rewrite (St c) by lia. lia.
Qed.

(** What the array of ranks says of a part of the bits is what counting says. *)
Lemma ranks_of_part n bits ranks k c : tidy ranked (n, (bits, ranks)) -> k + w <= length bits -> c <= w ->
  entry ranks (k + c) = entry ranks k + rank_of (part bits k w) c.
Proof.
  intros (_ & _ & _ & St) K. induction c as [|c IH]; intros C; [rewrite Nat.add_0_r; cbn; lia|].
  replace (k + S c) with (S (k + c)) by lia. rewrite St, IH, rank_S by lia.
  replace (bit bits (k + c)) with (bit (part bits k w) c); [lia|]. unfold bit, part.
  rewrite <- (firstn_skipn k bits) at 2. rewrite app_nth2, firstn_length by (rewrite firstn_length; lia).
  replace (k + c - Nat.min k (length bits)) with c by lia. rewrite <- (firstn_skipn w (skipn k bits)) at 2.
  rewrite app_nth1; [reflexivity|]. rewrite firstn_length, skipn_length. lia.
Qed.

Lemma ranked_laws : storage_laws ranked (fun r => length r = w) (fun r => length (set r)).
Proof.
  assert (E : forall r c, c <= length r -> entry (map (rank_of r) (seq 0 (S (length r)))) c = rank_of r c).
  { intros r c C. unfold entry. rewrite (nth_indep _ 0 (rank_of r 0)) by (rewrite map_length, seq_length; lia).
    rewrite map_nth, seq_nth by lia. reflexivity. }
  constructor; cbn [arrays none single join many total start stop row_at ranked fst snd].
  - cbn. repeat split; try lia.
  - intros r H. repeat split; [cbn; lia|rewrite map_length, seq_length; reflexivity| | |rewrite <- H; apply part_all].
    + intros c C. rewrite !E by lia. apply rank_S.
    + unfold ends. rewrite map_length, seq_length. replace (S (length r) - 1) with (length r) by lia. apply E. lia.
  - intros [n [bits ranks]] [n' [bits' ranks']] Ta Tb. pose proof (tidy_totals _ _ _ Ta) as Ra. pose proof (tidy_totals _ _ _ Tb) as Rb.
    pose proof (join_totals_totals _ _ _ _ Ra Rb) as R. destruct Ta as (Na & La & Za & Sa), Tb as (Nb & Lb & Zb & Sb).
    cbn [fst snd] in *. split; [|split; [reflexivity|apply R]]. cbn [tidy ranked]. rewrite app_length, join_totals_length by lia.
    repeat split; [lia|lia|apply R|]. intros c C. unfold bit. destruct (Nat.lt_ge_cases c (length bits)) as [D|D].
    + rewrite !join_totals_left, app_nth1 by lia. apply Sa, D.
    + replace c with (length ranks - 1 + (c - length bits)) at 1 2 by lia.
      replace (S (length ranks - 1 + (c - length bits))) with (length ranks - 1 + S (c - length bits)) by lia.
      rewrite !(join_totals_right' _ _ _ _ _ Ra Rb), app_nth2, Sb by lia. unfold bit. lia.
  - intros [n [bits ranks]] [n' [bits' ranks']] p (Na & La & _) _ P. cbn [fst snd] in *. assert (p * w + w <= length bits) by nia.
    rewrite join_totals_left by lia. split; [reflexivity|]. apply part_left. lia.
  - intros [n [bits ranks]] [n' [bits' ranks']] p Ta Tb P. pose proof (tidy_totals _ _ _ Ta) as Ra. pose proof (tidy_totals _ _ _ Tb) as Rb.
    destruct Ta as (Na & La & _), Tb as (Nb & Lb & _). cbn [fst snd] in *. assert (p * w + w <= length bits') by nia.
    rewrite Nat.mul_add_distr_r, <- Na. split; [|apply part_right]. replace (length bits) with (length ranks - 1) by lia.
    apply (join_totals_right' _ _ _ _ _ Ra Rb). lia.
  - intros [n [bits ranks]] T. destruct (join_totals_none _ _ (tidy_totals _ _ _ T)) as [A B]. cbn [fst snd] in *.
    rewrite A, B, app_nil_r, Nat.add_0_r. auto.
  - intros [n [bits ranks]] [n' [bits' ranks']] [n'' [bits'' ranks'']] Ta Tb Tc. cbn [fst snd]. rewrite Nat.add_assoc, app_assoc.
    do 2 f_equal. eapply join_totals_assoc; eapply tidy_totals; eassumption.
  - intros [n [bits ranks]] p T P. pose proof (tidy_totals _ _ _ T) as R. cbn [fst snd] in *.
    assert (p * w + w <= length bits) by (destruct T as (-> & _); nia). split.
    + rewrite (ranks_of_part _ _ _ _ _ T) by lia. unfold set. rewrite part_length by lia. reflexivity.
    + apply (totals_below_end _ _ _ R). destruct T as (_ & -> & _). lia.
Qed.
End Ranked.

Section Rankmask.
Context (N : nat).

Definition rankmask_rows : rows := {|
  row := list bool;
  count r := length (set r);
  row_ok r := length r = N;
  row_space _ := True;
  row_encode t := (map (fun x => negb (x =? 0)) t, map Some (nonzero t));
  row_crd r q := just (nth q (set r) 0);
  row_pos r c := if bit r c then Some (rank_of r c) else None;
  row_valid _ _ := true
|}.

Lemma set_nonzero t : set (map (fun x => negb (x =? 0)) t) = nonzero t.
Proof. unfold set, below, nonzero. rewrite map_length. apply filter_ext. intros c. apply bit_nonzero. Qed.

Lemma rankmask_row_laws : row_laws N rankmask_rows.
Proof.
  constructor; cbn [row count row_ok row_space row_encode row_crd row_pos row_valid rankmask_rows fst snd].
  - intros t Len _. rewrite set_nonzero, !map_length. auto.
  - intros t c q _ _. destruct (bit _ c) eqn:B; [|discriminate]. intros H. injection H as <-. exists (Some c).
    split; [|reflexivity]. apply map_nth_error. rewrite <- set_nonzero. apply set_at, B.
  - intros t c _ _ _. unfold bit. rewrite bit_nonzero. destruct (Nat.eqb_spec (nth c t 0) 0); [auto|discriminate].
  - discriminate.
  - intros r c q _. destruct (bit r c) eqn:B; [|discriminate]. intros H _. injection H as <-. apply within_just.
    rewrite (nth_error_nth _ _ _ (set_at r c B)). reflexivity.
  - intros r c q _ Q _ W. apply within_just in W as ->. pose proof (nth_error_nth' _ 0 Q) as I.
    pose proof (proj2 (proj1 (filter_In _ _ _) (nth_error_In _ _ I))) as B. rewrite B. f_equal.
    eapply NoDup_at; [|exact (set_at r _ B)|exact I]. apply (sorted_NoDup lt); [apply Nat.lt_irrefl|apply filter_sorted].
  - intros r q _ _ _. exists (nth q (set r) 0). apply within_just. reflexivity.
  - intros r c q <-. destruct (bit r c) eqn:B; [|discriminate]. intros H. injection H as <-.
    split; [exact (bit_below r c B)|exact (nth_error_below _ _ _ (set_at r c B))].
Qed.

Definition rankmask : level := level_of N rankmask_rows (ranked N).
Theorem rankmask_lawful : lawful rankmask.
Proof. apply (level_of_lawful N rankmask_rows (ranked N) _ rankmask_row_laws (ranked_laws N)). auto. Qed.

(** Nothing is counted where a position is looked up: it is an entry of the array of ranks. *)
Lemma rankmask_looks_up (m : metadata rankmask) p c : well_formed rankmask m -> p < parents rankmask m -> c < N ->
  crd_pos rankmask m p c = if bit (fst (snd m)) (p * N + c) then Some (entry (snd (snd m)) (p * N + c)) else None.
Proof.
  destruct m as [n [bits ranks]]. intros [T _] P C. cbn in P. cbn [fst snd].
  assert (L : p * N + N <= length bits) by (destruct T as (-> & _); nia).
  assert (B : bit (part bits (p * N) N) c = bit bits (p * N + c)).
  { pose proof (ranks_of_part N n bits ranks (p * N) c T L) as A. pose proof (ranks_of_part N n bits ranks (p * N) (S c) T L) as A'.
    rewrite rank_S in A'. destruct T as (_ & _ & _ & St). replace (p * N + S c) with (S (p * N + c)) in A' by lia. rewrite St in A' by lia.
    destruct (bit bits _), (bit (part _ _ _) c); cbn in A'; auto; lia. }
  cbn [crd_pos rankmask level_of row_pos rankmask_rows row_at ranked start fst snd]. rewrite B. destruct (bit bits (p * N + c)); [|reflexivity].
  cbn. rewrite (ranks_of_part N n bits ranks (p * N) c T L) by lia. reflexivity.
Qed.
End Rankmask.
