(** States that are updated where they are: what a statement makes of the cells of a buffer, some of which hold what it reads.

    A state has a *home*: a buffer, and a cell of it for each element. [updates] says of a statement which elements of a part of the state
    have their new values afterwards, and which cells may have changed. Tensors that are in the same buffer, such as the state before, are
    known in the same cells, as far as these have not changed. *)
Require Import ZArith List Bool String Lia.
Require Export Atl.Windows.
Import ListNotations.
Open Scope Z_scope.

Section Rounds.
Context {V : Type} {ints : arrays}.
Notation run := (run ints).
Notation gives := (gives ints).
Notation decides := (decides ints).
Notation reads := (reads ints).
Implicit Types (G : list (known V)) (X : scratch) (b : string) (D s : shape) (home : index -> Z) (changed wanted : index -> bool).
Implicit Types (pre e l : index) (t u : tensor V) (h : memory V) (p q : statement V).

(** No scratch is the buffer, or that of a known tensor. *)
Definition clear G X b : Prop := forall y, In y (map fst X) -> y <> b /\ forall z, In z G -> name z <> y.
(** What is known in the buffer has its elements in the cells of the home. *)
Definition housed G b D home : Prop := forall z, In z G -> name z = b -> dims z = D /\ forall e, inbox e D -> cell_at z e = home e.
Definition roomy h b D home : Prop := forall e, inbox e D -> exists c, find h b (home e) = Some c.

Record renewed h h' b X home changed wanted pre s t : Prop := {
  update_others : forall y, y <> b -> ~ In y (map fst X) -> h' y = h y;
  update_sized : option_map size (h' b) = option_map size (h b);
  update_kept : there h X -> there h' X;
  update_frame : forall i, (forall l, inbox l s -> changed (pre ++ l) = true -> home (pre ++ l) <> i) -> find h' b i = find h b i;
  update_result : forall l, inbox l s -> wanted (pre ++ l) = true -> load h' b (home (pre ++ l)) = Some (t l)
}.

Definition updates G X p b D home changed wanted pre s t : Prop :=
  clear G X b -> injective (fun e => inbox e D) home -> housed G b D home -> (forall l, inbox l s -> inbox (pre ++ l) D) ->
  forall h, world h G X -> roomy h b D home ->
  exists h', run p h = Some h' /\ renewed h h' b X home changed wanted pre s t.

(** * The same tensors, but in the buffer fewer elements *)
Definition fewer b (Q : index -> bool) (z z' : known V) : Prop :=
  name z' = name z /\ dims z' = dims z /\ cell_at z' = cell_at z /\ held z' = held z /\
  forall e, present z' e = true -> present z e = true /\ (name z = b -> Q e = true).

Lemma fewer_in b Q G G' z' : Forall2 (fewer b Q) G G' -> In z' G' -> exists z, In z G /\ fewer b Q z z'.
Proof.
  intros F. induction F as [|z y G G' H F IH]; [easy|]. intros [<-|I]; [exists z; cbn; auto|]. destruct (IH I) as (x & J & K). exists x. cbn. auto.
Qed.

Lemma fewer_clear b Q G G' X x : Forall2 (fewer b Q) G G' -> clear G X x -> clear G' X x.
Proof.
  intros F C y Y. destruct (C y Y) as [N M]. split; [exact N|]. intros z' I. destruct (fewer_in _ _ _ _ _ F I) as (z & J & E & _).
  rewrite E. exact (M z J).
Qed.

Lemma fewer_housed b Q G G' D home : Forall2 (fewer b Q) G G' -> housed G b D home -> housed G' b D home.
Proof.
  intros F H z' I E. destruct (fewer_in _ _ _ _ _ F I) as (z & J & N & Dm & Ce & _). rewrite Dm, Ce. apply H; [exact J|congruence].
Qed.

Lemma roomy_sized h h' b D home : option_map size (h' b) = option_map size (h b) -> roomy h b D home -> roomy h' b D home.
Proof.
  intros S R e E. destruct (R e E) as (c & F). unfold find in *. destruct (h b) as [m|]; [|discriminate]. destruct (h' b) as [m'|]; [|discriminate].
  cbn in *. injection S as S. rewrite S. destruct (in_range (home e) (size m)); [eauto|discriminate].
Qed.

(** What is still known after some cells have changed. *)
Lemma fewer_after b Q G G' X D home h h1 : clear G X b -> housed G b D home ->
  Forall2 (fewer b Q) G G' -> world h G X -> there h1 X -> (forall y, y <> b -> ~ In y (map fst X) -> h1 y = h y) ->
  (forall e, inbox e D -> Q e = true -> find h1 b (home e) = find h b (home e)) -> world h1 G' X.
Proof.
  intros C H F [W _] T O K. split; [|exact T]. rewrite Forall_forall in *. intros z' I.
  destruct (fewer_in _ _ _ _ _ F I) as (z & J & N & Dm & Ce & He & P). intros e B Pe. destruct (P e Pe) as [Pz Q'].
  rewrite N, Ce, He. rewrite Dm in B. specialize (W z J e B Pz). rewrite <- W. unfold load. f_equal.
  destruct (string_dec (name z) b) as [E|E].
  - destruct (H z J E) as [Dz Hz]. rewrite E. rewrite Hz by (rewrite <- Dz; exact B). apply K; [rewrite <- Dz; exact B|auto].
  - apply find_eq, O; [exact E|]. intros Iy. exact (proj2 (C _ Iy) z J eq_refl).
Qed.

(** * Statements *)
Lemma updates_store G X i v b D home changed wanted pre t : gives i (home pre) -> changed pre = true -> reads G v t ->
  updates G X (Replace b i v) b D home changed wanted pre [] t.
Proof.
  intros E Ch R C J H B h [W T] Ro. assert (Bp : inbox pre D) by (rewrite <- (app_nil_r pre); apply (B []); exact I).
  destruct (Ro pre Bp) as (c & F). cbn [Loops.run]. rewrite E. cbn [bind]. rewrite (R h W). cbn [bind].
  destruct (change_some h b (home pre) (replace_cell (t [])) c _ F eq_refl) as (h' & Rn & O & S & Fn & Fr).
  exists h'. split; [exact Rn|]. split.
  - intros y N _. apply O, N.
  - exact S.
  - intros _. unfold there in *. rewrite Forall_forall in *. intros x I. rewrite O; [exact (T x I)|]. apply (C (fst x)), in_map, I.
  - intros j N. apply Fr. intros ->. apply (N [] I); rewrite app_nil_r; [exact Ch|reflexivity].
  - intros [|x l] L _; [|easy]. rewrite app_nil_r. unfold load. rewrite Fn. reflexivity.
Qed.

(** Nothing: the cells hold the elements already. *)
Lemma updates_none G X b D home changed wanted pre s t :
  (forall h, world h G X -> forall l, inbox l s -> inbox (pre ++ l) D -> wanted (pre ++ l) = true -> load h b (home (pre ++ l)) = Some (t l)) ->
  updates G X Skip b D home changed wanted pre s t.
Proof. intros K C J H B h W Ro. exists h. split; [reflexivity|]. split; auto. Qed.

Lemma updates_same G X p b D home changed wanted pre s t u : (forall l, inbox l s -> t l = u l) ->
  updates G X p b D home changed wanted pre s t -> updates G X p b D home changed wanted pre s u.
Proof.
  intros E U C J H B h W Ro. destruct (U C J H B h W Ro) as (h' & R & [O S K F L]). exists h'. split; [exact R|]. split; auto.
  intros l Bl Hl. rewrite <- E by exact Bl. auto.
Qed.

Lemma updates_run G X p q b D home changed wanted pre s t : (forall h, run p h = run q h) ->
  updates G X q b D home changed wanted pre s t -> updates G X p b D home changed wanted pre s t.
Proof. intros E U C J H B h W Ro. rewrite E. exact (U C J H B h W Ro). Qed.

Lemma updates_if G X (c : bool) (a : test) p q b D home changed wanted pre s t : decides a c ->
  (c = true -> updates G X p b D home changed wanted pre s t) -> (c = false -> updates G X q b D home changed wanted pre s t) ->
  updates G X (If a p q) b D home changed wanted pre s t.
Proof.
  intros E P R. destruct c; [specialize (P eq_refl); clear R|specialize (R eq_refl); clear P]; intros C J H B h W Ro; cbn [Loops.run]; rewrite E; cbn [bind]; auto.
Qed.

(** * Rows, one after the other *)
Section Rows.
Context G X b D home changed wanted pre s (t : Z -> tensor V) (m : Z) (f : nat -> statement V) (row : nat -> Z) (Q : nat -> index -> bool)
  (G_ : nat -> list (known V)).

Lemma rows_run n : clear G X b -> injective (fun e => inbox e D) home -> housed G b D home -> (forall l, inbox l (m :: s) -> inbox (pre ++ l) D) ->
  (forall k, (k < n)%nat -> 0 <= row k < m) -> (forall j k, (j < k < n)%nat -> row j <> row k) ->
  (forall k e, (k < n)%nat -> inbox e D -> Q k e = true -> forall j l, (j < k)%nat -> e = pre ++ row j :: l -> changed e = false) ->
  (forall k, (k < n)%nat -> Forall2 (fewer b (Q k)) G (G_ k)) ->
  (forall k, (k < n)%nat -> updates (G_ k) X (f k) b D home changed wanted (pre ++ [row k]) s (t (row k))) ->
  forall h, world h G X -> roomy h b D home ->
  exists h', iterate n (fun k => run (f k)) h = Some h' /\
    (forall y, y <> b -> ~ In y (map fst X) -> h' y = h y) /\ option_map size (h' b) = option_map size (h b) /\ there h' X /\
    (forall i, (forall k l, (k < n)%nat -> inbox l s -> changed (pre ++ row k :: l) = true -> home (pre ++ row k :: l) <> i) -> find h' b i = find h b i) /\
    (forall k l, (k < n)%nat -> inbox l s -> wanted (pre ++ row k :: l) = true -> load h' b (home (pre ++ row k :: l)) = Some (t (row k) l)).
Proof.
  intros C J H B. induction n as [|n IH]; intros Rg Df Qn Fw U h W Ro.
  - exists h. cbn. repeat split; auto; try lia. apply W.
  - destruct IH with (h := h) as (h1 & R1 & O1 & S1 & T1 & F1 & V1); auto; try (intros; apply Qn with (k := k) (j := j) (l := l); auto; lia); try (intros; apply Df; lia).
    assert (W1 : world h1 (G_ n) X).
    { apply (fewer_after b (Q n) G (G_ n) X D home h h1 C H (Fw n ltac:(lia)) W T1 O1). intros e Be Qe. apply F1. intros k l Lk Bl Ch E.
      assert (Ee : e = pre ++ row k :: l).
      { symmetry. apply J; [apply B; split; [apply Rg; lia|exact Bl]|exact Be|exact E]. }
      rewrite <- Ee in Ch. rewrite (Qn n e ltac:(lia) Be Qe k l Lk Ee) in Ch. discriminate. }
    assert (App : forall l, (pre ++ [row n]) ++ l = pre ++ row n :: l) by (intros l; rewrite <- app_assoc; reflexivity).
    destruct (U n ltac:(lia)) with (h := h1) as (h2 & R2 & [O2 S2 K2 F2 V2]).
    + exact (fewer_clear _ _ _ _ _ _ (Fw n ltac:(lia)) C).
    + exact J.
    + exact (fewer_housed _ _ _ _ _ _ (Fw n ltac:(lia)) H).
    + intros l L. rewrite App. apply B. split; [apply Rg; lia|exact L].
    + exact W1.
    + exact (roomy_sized h h1 b D home S1 Ro).
    + exists h2. split; [cbn [iterate]; rewrite R1; exact R2|]. split; [intros y N M; rewrite O2, O1; auto|]. split; [congruence|].
      split; [apply K2, T1|]. split.
      * intros i N. rewrite F2, F1; [reflexivity| |].
        -- intros k l L. apply N. lia.
        -- intros l L. rewrite App. apply (N n l); [lia|exact L].
      * intros k l L Bl Hl. destruct (Nat.eq_dec k n) as [->|Nk].
        -- rewrite <- (V2 l Bl); rewrite App; [reflexivity|exact Hl].
        -- rewrite <- (V1 k l ltac:(lia) Bl Hl). unfold load. f_equal. apply F2. intros l' B' _. rewrite App. intros E.
           assert (Q' : pre ++ row n :: l' = pre ++ row k :: l).
           { apply J; [apply B; split; [apply Rg; lia|exact B']|apply B; split; [apply Rg; lia|exact Bl]|exact E]. }
           apply app_inv_head in Q'. injection Q' as Q' _. apply (Df k n); [lia|congruence].
Qed.

(** The others hold their elements already. *)
Lemma updates_rows n p :
  (forall h, run p h = iterate n (fun k => run (f k)) h) ->
  (forall k, (k < n)%nat -> 0 <= row k < m) -> (forall j k, (j < k < n)%nat -> row j <> row k) ->
  (forall k e, (k < n)%nat -> inbox e D -> Q k e = true -> forall j l, (j < k)%nat -> e = pre ++ row j :: l -> changed e = false) ->
  (forall k, (k < n)%nat -> Forall2 (fewer b (Q k)) G (G_ k)) ->
  (forall k, (k < n)%nat -> updates (G_ k) X (f k) b D home changed wanted (pre ++ [row k]) s (t (row k))) ->
  (forall i, 0 <= i < m -> (forall k, (k < n)%nat -> row k <> i) -> updates G X Skip b D home changed wanted (pre ++ [i]) s (t i)) ->
  updates G X p b D home changed wanted pre (m :: s) (gen m t).
Proof.
  intros E Rg Df Qn Fw U Rest C J H B h W Ro.
  destruct (rows_run n C J H B Rg Df Qn Fw U h W Ro) as (h' & R & O & S & T & F & Vl).
  exists h'. split; [rewrite E; exact R|]. split; auto.
  - intros i N. apply F. intros k l L Bl. apply (N (row k :: l)). split; [apply Rg, L|exact Bl].
  - intros [|i l] Bx Hl; [destruct Bx|]. destruct Bx as [Bi Bl]. change (gen m t (i :: l)) with (t i l).
    destruct (in_dec Z.eq_dec i (map row (seq 0 n))) as [I|I].
    + apply in_map_iff in I as (k & <- & I). apply in_seq in I. apply Vl; [lia|exact Bl|exact Hl].
    + assert (N : forall k, (k < n)%nat -> row k <> i).
      { intros k L E'. apply I. rewrite <- E'. apply in_map, in_seq. lia. }
      assert (App : forall l, (pre ++ [i]) ++ l = pre ++ i :: l) by (intros x; rewrite <- app_assoc; reflexivity).
      destruct (Rest i Bi N C J H) with (h := h) as (h0 & R0 & [_ _ _ _ V0]); auto.
      { intros x Bx. rewrite App. apply B. split; [exact Bi|exact Bx]. }
      cbn in R0. injection R0 as <-. specialize (V0 l Bl). rewrite App in V0. rewrite <- (V0 Hl). unfold load. f_equal.
      apply F. intros k l' L B' _ E'.
      assert (Q' : pre ++ row k :: l' = pre ++ i :: l).
      { apply J; [apply B; split; [apply Rg, L|exact B']|apply B; split; [exact Bi|exact Bl]|exact E']. }
      apply app_inv_head in Q'. injection Q' as Q' _. exact (N k L Q').
Qed.
End Rows.
End Rounds.
