(** [rle]: runs of equal slices, of which each has one position and its end. *)
Require Import Arith List Bool Lia Sorted.
Require Export Atl.formats.Search.
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

(** The last coordinate of each run. *)
Definition last_of_run (t : list nat) (c : nat) : bool := (S c =? length t) || negb (nth c t 0 =? nth (S c) t 0).
Definition run_ends (t : list nat) : list nat := filter (last_of_run t) (seq 0 (length t)).

Definition rle_rows : rows := {|
  row := list nat;
  count := @length nat;
  row_ok r := StronglySorted lt r /\ Forall (fun x => 0 < x <= N) r /\ (0 < N -> In N r);
  row_space _ := True;
  row_encode t := (map S (run_ends t), map Some (run_ends t));
  row_crd r q := (match q with 0 => 0 | S q => nth q r 0 end, nth q r 0);
  row_pos r c := if c <? N then find_at (fun x => c <? x) r else None;
  row_valid _ _ := true
|}.

Lemma run_ends_in t c : In c (run_ends t) <-> c < length t /\ last_of_run t c = true.
Proof. unfold run_ends. rewrite filter_In, in_seq. intuition lia. Qed.

(** Along a run slices are the same. *)
Lemma same_run t c e : c <= e -> e < length t -> (forall d, c <= d < e -> last_of_run t d = false) -> nth c t 0 = nth e t 0.
Proof.
  intros H. induction H as [|e H IH]; intros E F; [reflexivity|]. rewrite IH by (try lia; intros; apply F; lia).
  specialize (F e ltac:(lia)). unfold last_of_run in F. apply orb_false_iff in F as [_ F]. apply negb_false_iff, Nat.eqb_eq in F. exact F.
Qed.

Lemma sorted_nth r q q' : StronglySorted lt r -> q < q' -> q' < length r -> nth q r 0 < nth q' r 0.
Proof.
  intros S. revert q q'. induction S as [|x r S IH F]; cbn; intros q q' Q L; [lia|]. destruct q' as [|q']; [lia|].
  destruct q as [|q]; [|apply IH; lia]. apply (proj1 (Forall_forall _ _) F), nth_In. lia.
Qed.

Lemma rle_row_laws : row_laws N rle_rows.
Proof.
  constructor; cbn [row count row_ok row_space row_encode row_crd row_pos row_valid rle_rows fst snd].
  - intros t Len _. rewrite !map_length. split; [|reflexivity]. split; [|split].
    + apply (sorted_map lt); [intros; lia|]. apply filter_sorted.
    + apply Forall_map, Forall_forall. intros c I. apply run_ends_in in I. lia.
    + intros P. apply in_map_iff. exists (N - 1). split; [lia|]. apply run_ends_in. split; [lia|].
      unfold last_of_run. rewrite (proj2 (Nat.eqb_eq _ _)) by lia. reflexivity.
  - intros t c q Len _. destruct (Nat.ltb_spec c N) as [C|C]; [|discriminate]. intros H.
    destruct (find_at_some _ _ _ H) as (x & I & E & Before). apply Nat.ltb_lt in E. rewrite nth_error_map in I.
    destruct (nth_error (run_ends t) q) as [e|] eqn:Q; [|discriminate]. injection I as <-.
    exists (Some e). split; [exact (map_nth_error _ _ _ Q)|]. cbn. symmetry.
    pose proof (proj1 (run_ends_in _ _) (nth_error_In _ _ Q)) as [B _]. apply same_run; [lia|exact B|].
    intros d D. destruct (last_of_run t d) eqn:L; [exfalso|reflexivity].
    assert (Id : In d (run_ends t)) by (apply run_ends_in; split; [lia|exact L]).
    destruct (In_nth_error _ _ Id) as [k K]. assert (Kq : k < q).
    { destruct (Nat.lt_trichotomy k q) as [T|[->|T]]; [exact T|rewrite Q in K; injection K as ->; lia|].
      pose proof (sorted_nth _ q k (filter_sorted (last_of_run t) 0 (length t)) T (nth_error_below _ _ _ K)) as G.
      fold (run_ends t) in G. rewrite (nth_error_nth _ _ 0 Q), (nth_error_nth _ _ 0 K) in G. lia. }
    pose proof (Before k (S d) Kq (map_nth_error S _ _ K)) as G. apply Nat.ltb_ge in G. lia.
  - intros t c Len _ C. rewrite (proj2 (Nat.ltb_lt c N) C). intros H. exfalso.
    assert (I : In N (map S (run_ends t))).
    { apply in_map_iff. exists (N - 1). split; [lia|]. apply run_ends_in. split; [lia|].
      unfold last_of_run. rewrite (proj2 (Nat.eqb_eq _ _)) by lia. reflexivity. }
    pose proof (find_at_none _ _ H N I) as G. cbv beta in G. apply Nat.ltb_ge in G. lia.
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
