(** [dense]: every coordinate is stored. [bitmask]: a bit for each coordinate says whether its slice is there. *)
Require Import Arith List Bool Lia.
Require Export Atl.formats.Search.
Import ListNotations.

Lemma all_slices N q s : nth_error (map Some (seq 0 N)) q = Some s -> q < N /\ s = Some q.
Proof.
  intros H. pose proof (nth_error_below _ _ _ H) as B. rewrite map_length, seq_length in B. split; [exact B|].
  apply (nth_error_nth _ _ (Some 0)) in H. rewrite (map_nth Some), seq_nth in H by exact B. symmetry. exact H.
Qed.

Lemma slice_at N q : q < N -> nth_error (map Some (seq 0 N)) q = Some (Some q).
Proof.
  intros H. destruct (nth_error_at (map Some (seq 0 N)) q) as [s E]; [rewrite map_length, seq_length; exact H|].
  rewrite E. f_equal. apply (all_slices N q s E).
Qed.

Section Levels.
Context (N : nat).

(** * Dense *)
Definition dense_rows : rows := {|
  row := unit;
  count _ := N;
  row_ok _ := True;
  row_space _ := True;
  row_encode _ := (tt, map Some (seq 0 N));
  row_crd _ q := just q;
  row_pos _ c := if c <? N then Some c else None;
  row_valid _ _ := true
|}.

Lemma dense_row_laws : row_laws N dense_rows.
Proof.
  constructor; cbn [row count row_ok row_space row_encode row_crd row_pos row_valid dense_rows fst snd].
  - intros t _ _. rewrite map_length, seq_length. auto.
  - intros t c q Len _. destruct (Nat.ltb_spec c N) as [C|C]; [|discriminate]. intros H. injection H as <-.
    exists (Some c). split; [apply slice_at, C|reflexivity].
  - intros t c _ _ C. apply Nat.ltb_lt in C. rewrite C. discriminate.
  - discriminate.
  - intros r c q _. destruct (c <? N); [|discriminate]. intros H _. injection H as <-. apply within_just. reflexivity.
  - intros r c q _ Q _ W. apply within_just in W as ->. apply Nat.ltb_lt in Q. rewrite Q. reflexivity.
  - intros r q _ _ _. exists q. apply within_just. reflexivity.
  - intros r c q _. destruct (Nat.ltb_spec c N) as [C|C]; [|discriminate]. intros H. injection H as <-. auto.
Qed.

Definition dense : level := level_of N dense_rows (plain N).
Theorem dense_lawful : lawful dense.
Proof. apply (level_of_lawful N dense_rows (plain N) _ dense_row_laws (plain_laws N)). auto. Qed.

(** * Bitmask *)
Definition bitmask_rows : rows := {|
  row := list bool;
  count := @length bool;
  row_ok r := length r = N;
  row_space _ := True;
  row_encode t := (map (fun x => negb (x =? 0)) t, map Some (seq 0 N));
  row_crd _ q := just q;
  row_pos r c := if nth c r false then Some c else None;
  row_valid r q := nth q r false
|}.

Lemma bit_below (r : list bool) c : nth c r false = true -> c < length r.
Proof. intros H. destruct (Nat.lt_ge_cases c (length r)) as [B|B]; [exact B|]. rewrite nth_overflow in H by exact B. discriminate. Qed.

Lemma bit_nonzero (t : list nat) c : nth c (map (fun x => negb (x =? 0)) t) false = negb (nth c t 0 =? 0).
Proof. change false with (negb (0 =? 0)). apply (map_nth (fun x => negb (x =? 0))). Qed.

Lemma bitmask_row_laws : row_laws N bitmask_rows.
Proof.
  constructor; cbn [row count row_ok row_space row_encode row_crd row_pos row_valid bitmask_rows fst snd].
  - intros t Len _. rewrite !map_length, seq_length. auto.
  - intros t c q Len _. destruct (nth c _ false) eqn:B; [|discriminate]. intros H. injection H as <-.
    apply bit_below in B. rewrite map_length, Len in B. exists (Some c). split; [apply slice_at, B|reflexivity].
  - intros t c _ _ C. rewrite bit_nonzero. destruct (Nat.eqb_spec (nth c t 0) 0); [auto|discriminate].
  - intros t q s _ _ I. apply all_slices in I as [_ ->]. rewrite bit_nonzero. cbn.
    destruct (Nat.eqb_spec (nth q t 0) 0); [auto|discriminate].
  - intros r c q _. destruct (nth c r false); [|discriminate]. intros H _. injection H as <-. apply within_just. reflexivity.
  - intros r c q _ _ B W. apply within_just in W as ->. rewrite B. reflexivity.
  - intros r q _ _ _. exists q. apply within_just. reflexivity.
  - intros r c q Len. destruct (nth c r false) eqn:B; [|discriminate]. intros H. injection H as <-.
    apply bit_below in B. rewrite Len in *. auto.
Qed.

Definition bitmask : level := level_of N bitmask_rows (fixed N).
Theorem bitmask_lawful : lawful bitmask.
Proof. apply (level_of_lawful N bitmask_rows (fixed N) _ bitmask_row_laws (fixed_laws N)). auto. Qed.
End Levels.
