(** [rle]: runs of equal slices, of which each has one position and its end. *)
Require Import Arith List Bool Lia Sorted.
Require Export Atl.formats.Intervals.
Import ListNotations.

Lemma find_at_first {E} (p : E -> bool) es q e : nth_error es q = Some e -> p e = true ->
  (forall q' e', q' < q -> nth_error es q' = Some e' -> p e' = false) -> find_at p es = Some q.
Proof.
  revert q. induction es as [|x es IH]; intros [|q] I P B; try discriminate; cbn in *.
  - injection I as ->. rewrite P. reflexivity.
  - rewrite (B 0 x) by (auto; lia). rewrite (IH q I P); [reflexivity|]. intros q' e' Q J. apply (B (S q') e'); [lia|exact J].
Qed.

Section Runs.
Context (N : nat).

Definition all_runs (t : list nat) : list range := runs (length t) (equal t) (fun _ => true).

Definition rle_rows : rows := {|
  row := list nat;
  count := @length nat;
  row_ok r := StronglySorted lt r /\ Forall (fun x => 0 < x <= N) r /\ (0 < N -> In N r);
  row_space _ := True;
  row_encode t := (map snd (all_runs t), map (fun a => Some (fst a)) (all_runs t));
  row_crd r q := (match q with 0 => 0 | S q => nth q r 0 end, nth q r 0);
  row_pos r c := if c <? N then find_at (fun x => c <? x) r else None;
  row_valid _ _ := true
|}.

Lemma all_runs_cover t c : c < length t -> exists q a, nth_error (all_runs t) q = Some a /\ within a c.
Proof.
  intros C. destruct (runs_cover (length t) (equal t) (fun _ => true) (fun _ _ => eq_refl) c C eq_refl) as (a & I & W).
  destruct (In_nth_error _ _ I) as [q Q]. eauto.
Qed.

Lemma sorted_nth r q q' : StronglySorted lt r -> q < q' -> q' < length r -> nth q r 0 < nth q' r 0.
Proof.
  intros S. revert q q'. induction S as [|x r S IH F]; cbn; intros q q' Q L; [lia|]. destruct q' as [|q']; [lia|].
  destruct q as [|q]; [|apply IH; lia]. apply (proj1 (Forall_forall _ _) F), nth_In. lia.
Qed.

Lemma rle_row_laws : row_laws N rle_rows.
Proof.
  constructor; cbn [row count row_ok row_space row_encode row_crd row_pos row_valid rle_rows fst snd].
  - intros t <- _. rewrite !map_length. split; [|reflexivity]. destruct (runs_apart (length t) (equal t) (fun _ => true)) as [So F].
    fold (all_runs t) in So, F. pose proof (proj1 (Forall_forall _ _) F) as P. unfold proper in P. split; [|split].
    + apply (sorted_map apart); [|exact So]. unfold apart. intros a b _ Ib. specialize (P b Ib). lia.
    + apply Forall_map, Forall_forall. intros a I. specialize (P a I). lia.
    + intros L. destruct (all_runs_cover t (length t - 1)) as (q & a & I & W); [lia|]. apply nth_error_In in I.
      apply in_map_iff. exists a. specialize (P a I). unfold within in W. split; [lia|exact I].
  - intros t c q Len _. destruct (Nat.ltb_spec c N) as [C|C]; [|discriminate]. intros H.
    destruct (all_runs_cover t c) as (k & a & I & W); [lia|]. assert (Q : find_at (fun x => c <? x) (map snd (all_runs t)) = Some k).
    { apply (find_at_first _ _ _ (snd a)); [exact (map_nth_error _ _ _ I)|apply Nat.ltb_lt, W|]. intros q' e L J.
      destruct (nth_error_at (all_runs t) q') as [b B]; [pose proof (nth_error_below _ _ _ I); lia|].
      injection (eq_trans (eq_sym J) (map_nth_error snd _ _ B)) as ->.
      apply Nat.ltb_ge. pose proof (sorted_at _ _ _ _ _ _ (proj1 (runs_apart _ _ _)) L B I) as Apart. unfold apart, within in *. lia. }
    rewrite Q in H. injection H as <-. exists (Some (fst a)). split; [exact (map_nth_error _ _ _ I)|]. apply nth_error_In in I.
    apply (equal_along _ _ _ _ _ I); unfold within in *; lia.
  - intros t c Len _ C. rewrite (proj2 (Nat.ltb_lt c N) C). intros H. exfalso. destruct (all_runs_cover t c) as (q & a & I & W); [lia|].
    pose proof (find_at_none _ _ H (snd a) (in_map snd _ _ (nth_error_In _ _ I))) as G. cbv beta in G. apply Nat.ltb_ge in G.
    unfold within in W. lia.
  - discriminate.
  - intros r c q (So & _) H _. destruct (c <? N); [|discriminate]. destruct (find_at_some _ _ _ H) as (x & I & E & Before).
    apply Nat.ltb_lt in E. unfold within. cbn [fst snd]. rewrite (nth_error_nth _ _ 0 I). split; [|exact E].
    destruct q as [|q]; [lia|]. destruct (nth_error_at r q) as [y Y]; [pose proof (nth_error_below _ _ _ I); lia|].
    rewrite (nth_error_nth _ _ 0 Y). specialize (Before q y ltac:(lia) Y). apply Nat.ltb_ge in Before. exact Before.
  - intros r c q (So & F & _) Q _ W. unfold within in W. cbn [fst snd] in W.
    pose proof (proj1 (Forall_forall _ _) F (nth q r 0) (nth_In _ _ Q)) as B. cbv beta in B. rewrite (proj2 (Nat.ltb_lt c N)) by lia.
    apply (find_at_first _ _ _ (nth q r 0)); [apply nth_error_nth', Q|apply Nat.ltb_lt; lia|].
    intros q' e Lt I. apply Nat.ltb_ge. destruct q as [|q]; [lia|]. rewrite <- (nth_error_nth _ _ 0 I).
    destruct (Nat.eq_dec q' q) as [->|D]; [lia|]. pose proof (sorted_nth r q' q So). lia.
  - intros r q (So & F & _) Q _. exists (nth q r 0 - 1). unfold within. cbn [fst snd].
    pose proof (proj1 (Forall_forall _ _) F (nth q r 0) (nth_In _ _ Q)) as B. cbv beta in B. destruct q as [|q]; [lia|].
    pose proof (sorted_nth r q (S q) So). lia.
  - intros r c q _. destruct (Nat.ltb_spec c N) as [C|C]; [|discriminate]. intros H. split; [exact C|].
    destruct (find_at_some _ _ _ H) as (x & I & _). exact (nth_error_below _ _ _ I).
Qed.

Definition rle : level := level_of N rle_rows segments.
Theorem rle_lawful : lawful rle.
Proof. apply (level_of_lawful N rle_rows segments _ rle_row_laws segments_laws). auto. Qed.
End Runs.
