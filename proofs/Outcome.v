(** What a part of a program does to one buffer: the cells of some indices get the elements of a tensor, and nothing else changes.

    [outcome h h' b X P place t k]: from [h] to [h'], for each index [l] in [P] the cell [place l] of [b] gets [t l]; [k] says
    what it held before. Other cells of [b] and other buffers are as they were, but those of the scratch [X], which keep their sizes. *)
Require Import ZArith List Bool String Lia.
Require Export Atl.Memory.
Import ListNotations.
Open Scope Z_scope.

(** What a cell holds before it gets an element: something that [=] may replace, zero, or what the element is added to. *)
Inductive kind := Unset | Zeroed | Adding.

(** Scratch buffers that are there, with their sizes. *)
Definition scratch := list (string * Z).

Section Outcome.
Context {V : Type} (A : algebra V).
Implicit Types (h : memory V) (b : string) (X : scratch) (P Q : index -> Prop) (k : kind) (t : tensor V).

Definition before k (c : cell V) : Prop :=
  match k with
  | Unset => was_set c = false
  | Zeroed => was_set c = false /\ content c = Some (zero A)
  | Adding => content c <> None
  end.

Definition total k (old : option V) (v : V) : option V :=
  match k with Adding => bind old (fun x => Some (add A x v)) | _ => Some v end.

Definition there h X : Prop := Forall (fun x => option_map size (h (fst x)) = Some (snd x)) X.

Record outcome h h' b X P (place : index -> Z) t k : Prop := {
  others : forall y, y <> b -> ~ In y (map fst X) -> h' y = h y;
  sized : option_map size (h' b) = option_map size (h b);
  kept : there h X -> there h' X;
  frame : forall i, (forall l, P l -> place l <> i) -> find h' b i = find h b i;
  result : forall l c, P l -> find h b (place l) = Some c -> before k c ->
    exists c', find h' b (place l) = Some c' /\ content c' = total k (content c) (t l)
}.

Lemma outcome_none h b X place t k : outcome h h b X (fun _ => False) place t k.
Proof. split; easy. Qed.

Lemma outcome_iff h h' b X P Q place t u k : (forall l, P l <-> Q l) -> (forall l, Q l -> t l = u l) ->
  outcome h h' b X P place t k -> outcome h h' b X Q place u k.
Proof.
  intros E T [O S K F R]. split; auto.
  - intros i H. apply F. intros l Pl. apply H, E, Pl.
  - intros l c Q' Fd B. apply E in Q' as P'. rewrite <- T by exact Q'. exact (R l c P' Fd B).
Qed.

(** One after the other, to different cells. *)
Lemma outcome_union h h1 h2 b X P Q place t k : (forall l l', P l -> Q l' -> place l <> place l') ->
  outcome h h1 b X P place t k -> outcome h1 h2 b X Q place t k -> outcome h h2 b X (fun l => P l \/ Q l) place t k.
Proof.
  intros D [O S K F R] [O' S' K' F' R']. split.
  - intros y N M. rewrite O', O by assumption. reflexivity.
  - rewrite S'. exact S.
  - auto.
  - intros i H. rewrite F', F by auto. reflexivity.
  - intros l c [L|L] Fd B.
    + destruct (R l c L Fd B) as (c' & F1 & E). exists c'. split; [|exact E].
      rewrite F'; [exact F1|]. intros l' L' H. apply (D l l' L L'). symmetry. exact H.
    + apply (R' l c L); [|exact B]. rewrite F; [exact Fd|]. intros l' L' H. exact (D l' l L' L H).
Qed.

(** The indices written in another way. *)
Lemma outcome_image h h' b X P place t u k (g : index -> index) : (forall w, P w -> u (g w) = t w) ->
  outcome h h' b X P (fun w => place (g w)) t k -> outcome h h' b X (fun l => exists w, l = g w /\ P w) place u k.
Proof.
  intros T [O S K F R]. split; auto.
  - intros i H. apply F. intros w W. apply H. exists w. auto.
  - intros l c (w & -> & W) Fd B. rewrite T by exact W. exact (R w c W Fd B).
Qed.

Definition injective P (place : index -> Z) : Prop := forall l l', P l -> P l' -> place l = place l' -> l = l'.

Lemma total_zero k c : before k c -> k <> Unset -> (k = Adding -> law_add_0_r A) -> total k (content c) (zero A) = content c.
Proof using A.
  destruct k; cbn; [easy| |].
  - intros [_ ->] _ _. reflexivity.
  - intros N _ L. destruct (content c) as [x|]; [|easy]. cbn. rewrite L by reflexivity. reflexivity.
Qed.

(** More indices, at which the tensor is zero: their cells may be left as they are. *)
Lemma outcome_extend h h' b X P Q place t k : injective Q place -> (forall l, P l -> Q l) ->
  (forall l, Q l -> P l \/ (~ P l /\ k <> Unset /\ t l = zero A)) -> (k = Adding -> law_add_0_r A) ->
  outcome h h' b X P place t k -> outcome h h' b X Q place t k.
Proof using A.
  intros J PQ Z L [O S K F R]. split; auto.
  intros l c Ql Fd B. destruct (Z l Ql) as [Pl|(NP & N & ->)]; [exact (R l c Pl Fd B)|].
  exists c. rewrite total_zero by auto. split; [|reflexivity].
  rewrite F; [exact Fd|]. intros l' P' E. apply NP. rewrite <- (J l' l (PQ l' P') Ql E). exact P'.
Qed.

(** One after the other, to the same cells: the second adds. *)
Lemma total_some k c v : before k c -> total k (content c) v <> None.
Proof using. destruct k; cbn; [easy|easy|]. destruct (content c); easy. Qed.

Lemma before_then h h1 b X P place t k : (forall l, P l -> exists c, find h b (place l) = Some c /\ before k c) ->
  outcome h h1 b X P place t k -> forall l, P l -> exists c, find h1 b (place l) = Some c /\ before Adding c.
Proof using.
  intros Bf O l L. destruct (Bf l L) as (c & Fd & B). destruct (result _ _ _ _ _ _ _ _ O l c L Fd B) as (c' & F' & E).
  exists c'. split; [exact F'|]. cbn. rewrite E. apply total_some, B.
Qed.

Lemma outcome_then h h1 h2 b X P place t u v k : (forall l, P l -> exists c, find h b (place l) = Some c /\ before k c) ->
  (forall l old, total k old (t l) <> None -> total Adding (total k old (t l)) (u l) = total k old (v l)) ->
  outcome h h1 b X P place t k -> outcome h1 h2 b X P place u Adding -> outcome h h2 b X P place v k.
Proof using.
  intros Bf E O O2. pose proof (before_then h h1 b X P place t k Bf O) as B1.
  destruct O as [O S K F R], O2 as [O' S' K' F' R']. split.
  - intros y N M. rewrite O', O by assumption. reflexivity.
  - rewrite S'. exact S.
  - auto.
  - intros i H. rewrite F', F by assumption. reflexivity.
  - intros l c L Fd B. destruct (R l c L Fd B) as (c1 & F1 & E1). destruct (B1 l L) as (c1' & F1' & B1').
    rewrite F1 in F1'. injection F1' as <-. destruct (R' l c1 L F1 B1') as (c2 & F2 & E2).
    exists c2. split; [exact F2|]. rewrite E2, E1. apply E. rewrite <- E1. exact B1'.
Qed.

(** What is added to zero, where that is the same. *)
Lemma outcome_from_zero h h' b X P place t : law_add_0_l A ->
  outcome h h' b X P place t Adding -> outcome h h' b X P place t Zeroed.
Proof using.
  intros L [O S K F R]. split; auto. intros l c Pl Fd [B1 B2].
  destruct (R l c Pl Fd) as (c' & F' & E); [cbn; rewrite B2; easy|].
  exists c'. split; [exact F'|]. rewrite E, B2. cbn. rewrite L. reflexivity.
Qed.
End Outcome.
