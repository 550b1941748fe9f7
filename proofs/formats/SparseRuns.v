(** [sparse_runs]: runs of equal slices that are not zero, of which each has one position and its bounds. *)
Require Import Arith List Bool Lia Sorted.
Require Export Atl.formats.Intervals.
Import ListNotations.

Section SparseRuns.
Context (N : nat).

Definition equal_runs (t : list nat) : list range := runs (length t) (equal t) (present t).

Definition sparse_runs_rows : rows := {|
  row := list range;
  count := @length range;
  row_ok r := StronglySorted apart r /\ Forall (proper N) r;
  row_space _ := True;
  row_encode t := (equal_runs t, map (fun a => Some (fst a)) (equal_runs t));
  row_crd r q := nth q r (0, 0);
  row_pos r c := find_at (has c) r;
  row_valid _ _ := true
|}.

Lemma equal_present t c : equal t c = true -> present t (S c) = present t c.
Proof. unfold equal, present. rewrite Nat.eqb_eq. intros ->. reflexivity. Qed.

Lemma sparse_runs_row_laws : row_laws N sparse_runs_rows.
Proof.
  constructor; cbn [row count row_ok row_space row_encode row_crd row_pos row_valid sparse_runs_rows fst snd].
  - intros t <- _. rewrite map_length. split; [apply runs_apart|reflexivity].
  - intros t c q Len _ H. destruct (find_at_some _ _ _ H) as (a & I & W & _). apply has_iff in W.
    exists (Some (fst a)). split; [exact (map_nth_error _ _ _ I)|]. cbn. apply nth_error_In in I.
    apply (equal_along _ _ _ _ _ I); unfold within in *; lia.
  - intros t c Len _ C H. destruct (Nat.eqb_spec (nth c t 0) 0) as [Z|Z]; [exact Z|exfalso].
    destruct (runs_cover (length t) (equal t) (present t) (equal_present t) c) as (a & I & W); [lia| |].
    + unfold present. apply negb_true_iff, Nat.eqb_neq, Z.
    + pose proof (find_at_none _ _ H a I) as G. cbv beta in G. rewrite (proj2 (has_iff c a) W) in G. discriminate.
  - discriminate.
  - intros r c q _ H _. destruct (find_at_some _ _ _ H) as (a & I & W & _). rewrite (nth_error_nth _ _ _ I). apply has_iff, W.
  - intros r c q (So & _) Q _ W. apply (find_at_only _ _ _ (nth q r (0, 0))); [apply nth_error_nth', Q|apply has_iff, W|].
    intros q' a' I W'. apply has_iff in W'. exact (in_one _ _ _ _ _ _ So I (nth_error_nth' _ _ Q) W' W).
  - intros r q (_ & F) Q _. destruct (nth_error_at r q Q) as [a I]. rewrite (nth_error_nth _ _ _ I).
    pose proof (proj1 (Forall_forall _ _) F a (nth_error_In _ _ I)) as B. exists (fst a). unfold proper, within in *. lia.
  - intros r c q (_ & F) H. destruct (find_at_some _ _ _ H) as (a & I & W & _). apply has_iff in W.
    pose proof (proj1 (Forall_forall _ _) F a (nth_error_In _ _ I)) as B. unfold proper, within in *.
    split; [lia|exact (nth_error_below _ _ _ I)].
Qed.

Definition sparse_runs : level := level_of N sparse_runs_rows segments.
Theorem sparse_runs_lawful : lawful sparse_runs.
Proof. apply (level_of_lawful N sparse_runs_rows segments _ sparse_runs_row_laws segments_laws). auto. Qed.
End SparseRuns.
