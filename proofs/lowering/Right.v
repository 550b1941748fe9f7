(** What lowering gives computes its term: for every program that has a type, every memory and all sizes.

    A term has a type ([well_typed]) where extents agree, index terms read arrays within their ends, and reads of tensors are in range; in a
    loop for each index, under a condition where it holds. The theorem ([lowered]) says of the loops that they end without a trap: every access is to a
    cell that is there, nothing is read that holds nothing, no cell is set twice. Then the cells hold the term's elements, and all else is as it was.
    [program_right] is this for a whole buffer. *)
Require Import String ZArith List Bool Lia.
Require Export Atl.lowering.Lower.
Import ListNotations.
Open Scope Z_scope.

Section Right.
Context {V : Type} (Any : algebra V) (S : signature V) (ints : arrays) (c0 : context) (arr : nat -> string).
Notation alg := (alg Any S).
Notation tensor_of := (tensor_of Any S c0).
Notation statement_of := (statement_of Any S c0).
Notation value_of := (value_of Any S c0).
Notation val := (Index.value c0).
Notation holds_in := (Index.holds c0).
Notation index_word_of := (index_word_of arr).
Notation test_word_of := (test_word_of arr).
Notation value_word_of := (value_word_of arr).
Notation lower := (lower arr).
Notation stored := (stored arr).
Implicit Types (bound : list Z) (ts : list (tensor V)) (env : buffers) (to : target) (s : list term) (t : tensor_word).

Hypothesis lawful : forall a, law_add_0_l (alg a) /\ law_add_0_r (alg a) /\ law_add_assoc (alg a).

(** * Types *)
Fixpoint fine bound (t : term) : Prop :=
  match t with
  | Op _ a b => fine bound a /\ fine bound b
  | Read l [i] => fine bound i /\ entry_at ints (arr l) (val bound i) = Some (val bound (Read l [i]))
  | Read _ _ => False
  | _ => True
  end.

(** What stands second matters where it is asked. *)
Fixpoint fine_predicate bound (p : predicate) : Prop :=
  match p with
  | True_ | False_ => True
  | Cmp _ a b => fine bound a /\ fine bound b
  | Not p => fine_predicate bound p
  | And p q => fine_predicate bound p /\ (holds_in bound p = true -> fine_predicate bound q)
  | Or p q => fine_predicate bound p /\ (holds_in bound p = false -> fine_predicate bound q)
  end.

Definition fine_layer bound (x : layer) : Prop :=
  match x with
  | Row i | Merged i | Divided i | Raised i | Slant i => fine bound i
  | Kept n d => fine bound n /\ match d with Some d => fine bound d | None => True end
  | Upright n m => fine bound n /\ fine bound m
  | Swapped | Front | Back | From _ => True
  end.
Definition fine_target bound to : Prop := Forall (fine bound) (extents to) /\ Forall (fine_layer bound) (layers to).

(** The element is there, and in the buffer that holds the tensor. *)
Definition fine_load bound env (x : option (nat * list (term * term))) : Prop :=
  match x with
  | Some (k, is) =>
      match nth_error env k with
      | Some (b, s) => Forall (fine bound) s /\
          Forall2 (fun n x => val bound n = val bound (fst x) /\ in_range (val bound (snd x)) (val bound n) = true /\ fine bound (snd x)) s is /\
          String.eqb b "" = false
      | None => False
      end
  | None => False
  end.

Fixpoint scalar_typed bound env t : Prop :=
  match t with
  | EConst _ => True
  | EIndex _ i => fine bound i
  | EView t | EOne _ t => scalar_typed bound env t
  | ETwo _ t u => scalar_typed bound env t /\ scalar_typed bound env u
  | EThree _ t u x => scalar_typed bound env t /\ scalar_typed bound env u /\ scalar_typed bound env x
  | EGuard _ p t => fine_predicate bound p /\ (holds_in bound p = true -> scalar_typed bound env t)
  | ESelect p t u => fine_predicate bound p /\ (holds_in bound p = true -> scalar_typed bound env t) /\
      (holds_in bound p = false -> scalar_typed bound env u)
  | ETensor k => fine_load bound env (Some (k, []))
  | EGet a n t i => fine_load bound env (read_at (EGet a n t i) [])
  | _ => False
  end.

Fixpoint well_typed t bound ts env to s : Prop :=
  if stores to t then s = [] /\ scalar_typed bound env t else
    match t with
    | EGen n t =>
        match s with
        | m :: s => fine bound n /\ val bound m = val bound n /\ forall i, 0 <= i < val bound n ->
            well_typed t (i :: bound) ts (up_buffers env) (under_layer (Row (Bound 0)) (up_target to)) (map up s)
        | [] => False
        end
    | ESum a n t => a = ring to /\ fine bound n /\ forall i, 0 <= i < val bound n ->
        well_typed t (i :: bound) ts (up_buffers env) (adding (up_target to)) (map up s)
    | EGuard a p t => a = ring to /\ fine_predicate bound p /\ (holds_in bound p = true -> well_typed t bound ts env to s)
    | ESelect p t u => fine_predicate bound p /\ (holds_in bound p = true -> well_typed t bound ts env to s) /\
        (holds_in bound p = false -> well_typed u bound ts env to s)
    | EPlus a t u => a = ring to /\ well_typed t bound ts env (adding to) s /\ well_typed u bound ts env (adding to) s
    | ELet t u =>
        if mentions 0 u then
          let x := temporary env to t in
          Forall (fine bound) (extents x) /\ well_typed t bound ts env x (extents x) /\
          forall z, well_typed u bound (z :: ts) ((into x, extents x) :: env) to s
        else forall z, well_typed u bound (z :: ts) (nowhere :: env) to s
    | EOp a o _ t =>
        a = ring to /\
        match reshaping (held_before to) o s with
        | Some (asked, r, ls, _) =>
            map (val bound) (firstn (List.length (staying o)) s) = map (val bound) (staying o) /\ holds_in bound asked = true /\
            Forall (fine_layer bound) ls /\ well_typed t bound ts env (fold_right under_layer to ls) r
        | None => False
        end
    | EConcat a _ n m t u =>
        a = ring to /\
        match s with
        | r :: s => val bound r = val bound n + val bound m /\ 0 <= val bound n /\ 0 <= val bound m /\ fine bound n /\
            well_typed t bound ts env to (n :: s) /\ well_typed u bound ts env (under_layer (Raised n) to) (m :: s)
        | [] => False
        end
    | _ => False
    end.

(** * Closed terms: a loop's index is an entry of the context *)
Definition around bound : context := map Number bound ++ c0.
Definition cl bound : term -> term := close (List.length bound) (map Free (seq 0 (List.length bound))).
Definition closed_buffers bound env : list (option entry) :=
  map (fun x => if String.eqb (fst x) "" then None else Some (fst x, map (cl bound) (snd x), None)) env.
Definition known_in_memory bound env ts : list (known V) := known_of (around bound) (closed_buffers bound env) ts.
Definition place bound to : index -> Z := place_of (around bound) (map (cl bound) (extents to)) (map (map_layer (cl bound)) (layers to)).
Definition kept bound to : index -> bool := kept_of (around bound) (map (map_layer (cl bound)) (layers to)).

(** What is to be shown of a statement. *)
Definition filled bound ts env to s t (p : loop_word) : Prop :=
  fills ints (alg (ring to)) (known_in_memory bound env ts) [] (statement_of bound p) (into to) (map (val bound) s) (kept bound to) (place bound to)
    (tensor_of bound ts t) (held_before to).

Lemma bound_values bound : map (Index.value (around bound) []) (map Free (seq 0 (List.length bound))) = bound.
Proof. apply numbers_values. Qed.

Lemma value_cl bound (t : term) : Index.value (around bound) [] (cl bound t) = val bound t.
Proof.
  pose proof (value_close c0 (map Number bound) [] (map Free (seq 0 (List.length bound))) t) as E. rewrite map_length in E.
  unfold cl, around. rewrite E. f_equal. apply bound_values.
Qed.

Lemma values_cl bound s : map (Index.value (around bound) []) (map (cl bound) s) = map (val bound) s.
Proof. rewrite map_map. apply map_ext. intros t. apply value_cl. Qed.

Definition clp bound : predicate -> predicate := close_predicate (List.length bound) (map Free (seq 0 (List.length bound))).
Lemma holds_cl bound p : Index.holds (around bound) [] (clp bound p) = holds_in bound p.
Proof.
  pose proof (holds_close c0 (map Number bound) [] (map Free (seq 0 (List.length bound))) p) as E. rewrite map_length in E.
  unfold clp, around. rewrite E. f_equal. apply bound_values.
Qed.

Lemma value_up bound i (t : term) : val (i :: bound) (up t) = val bound t.
Proof.
  induction t as [|l|k|o a b IHa IHb|l us IH] using term_induction; cbn; try reflexivity; [rewrite IHa, IHb; reflexivity|].
  f_equal. rewrite map_map. apply map_ext_Forall, IH.
Qed.
Lemma values_up bound i s : map (val (i :: bound)) (map up s) = map (val bound) s.
Proof. rewrite map_map. apply map_ext. intros t. apply value_up. Qed.

Lemma cl_up bound i (t : term) : cl (i :: bound) (up t) = lift (cl bound t).
Proof.
  unfold cl. cbn [List.length]. set (d := List.length bound).
  induction t as [|l|k|o a b IHa IHb|l us IH] using term_induction; cbn [up close lift]; try reflexivity.
  - cbn [seq map nth]. unfold lift. rewrite <- seq_shift, map_map, <- (map_nth (close 1 [])), map_map. reflexivity.
  - unfold lift in *. cbn [close]. rewrite IHa, IHb. reflexivity.
  - unfold lift in *. cbn [close]. f_equal. rewrite !map_map. apply map_ext_Forall, IH.
Qed.

Lemma fine_up bound i (t : term) : fine bound t -> fine (i :: bound) (up t).
Proof.
  induction t as [|l|k|o a b IHa IHb|l us IH] using term_induction; cbn; try easy; [tauto|].
  destruct us as [|x [|y us]]; cbn; try easy. inversion IH as [|? ? IHx _]; subst. intros [F E]. split; [auto|].
  rewrite value_up. exact E.
Qed.

Lemma fine_layer_up bound i x : fine_layer bound x -> fine_layer (i :: bound) (map_layer up x).
Proof. destruct x as [| | | | | | | |n [d|]| |]; cbn; auto using fine_up; intros []; auto using fine_up. Qed.

Lemma fine_target_up bound i to : fine_target bound to -> fine_target (i :: bound) (up_target to).
Proof.
  intros [E L]. split; cbn; apply Forall_map; (eapply Forall_impl; [|eassumption]); intros x; [apply fine_up|apply fine_layer_up].
Qed.

Lemma layers_up bound i xs : map (map_layer (cl (i :: bound))) (map (map_layer up) xs) = map lift_layer (map (map_layer (cl bound)) xs).
Proof.
  rewrite !map_map. apply map_ext. intros x. destruct x as [| | | | | | | |n [d|]| |]; cbn; rewrite ?cl_up; reflexivity.
Qed.
Lemma terms_up bound i s : map (cl (i :: bound)) (map up s) = map lift (map (cl bound) s).
Proof. rewrite !map_map. apply map_ext. intros t. apply cl_up. Qed.

Lemma known_up bound i env ts : known_in_memory (i :: bound) (up_buffers env) ts = known_in_memory bound env ts.
Proof.
  unfold known_in_memory. rewrite <- (known_of_lift (around bound) (Number i)). f_equal.
  unfold closed_buffers, up_buffers. rewrite !map_map. apply map_ext. intros [b s]. cbn. destruct (String.eqb b ""); [reflexivity|].
  cbn. rewrite terms_up. reflexivity.
Qed.
Lemma place_up bound i to : place (i :: bound) (up_target to) = place bound to.
Proof. unfold place. cbn [up_target extents layers]. rewrite layers_up, terms_up. apply place_of_lift. Qed.
Lemma kept_up bound i to : kept (i :: bound) (up_target to) = kept bound to.
Proof. unfold kept. cbn [up_target layers]. rewrite layers_up. apply kept_of_lift. Qed.

(** * Index terms and conditions *)
Lemma index_given bound (t : term) : fine bound t -> gives ints (int_of c0 bound (index_word_of t)) (val bound t).
Proof.
  induction t as [|l|k|o a b IHa IHb|l us IH] using term_induction; cbn; try reflexivity.
  - intros [A B]. apply gives_calc; auto.
  - destruct us as [|x [|y us]]; try easy. inversion IH as [|? ? IHx _]; subst. intros [F E].
    unfold gives in *. cbn. rewrite (IHx F). exact E.
Qed.

Lemma test_decided bound p : fine_predicate bound p -> decides ints (test_of c0 bound (test_word_of p)) (holds_in bound p).
Proof.
  induction p as [| |r a b|p IH|p IHp q IHq|p IHp q IHq]; cbn; try reflexivity.
  - intros [A B]. apply decides_compare; apply index_given; assumption.
  - intros F. apply decides_negate, IH, F.
  - intros [P Q]. apply decides_both; auto.
  - intros [P Q]. apply decides_either; auto.
Qed.

(** * Cells *)
Lemma flat_cl bound s is : cl bound (flat_term s is) = flat_term (map (cl bound) s) (map (cl bound) is).
Proof.
  revert is. induction s as [|n s IH]; intros [|i is]; try reflexivity. cbn [flat_term map].
  change (cl bound (Op ?o ?a ?b)) with (Op o (cl bound a) (cl bound b)). cbn. rewrite <- IH. do 3 f_equal.
  clear. induction s as [|m s IH]; [reflexivity|]. cbn. rewrite <- IH. reflexivity.
Qed.

Lemma move_cl bound x is : move_terms (map_layer (cl bound) x) (map (cl bound) is) = map (cl bound) (move_terms x is).
Proof. destruct x as [i| | | |m|d|d|o|n [d|]|n|n m], is as [|i1 [|i2 [|i3 is]]]; reflexivity. Qed.

Lemma cell_cl bound s xs is : cl bound (cell_term s xs is) = cell_term (map (cl bound) s) (map (map_layer (cl bound)) xs) (map (cl bound) is).
Proof. revert is. induction xs as [|x xs IH]; intros is; cbn [cell_term map]; [apply flat_cl|]. rewrite IH, move_cl. reflexivity. Qed.

Lemma kept_cl bound xs is : clp bound (kept_term xs is) = kept_term (map (map_layer (cl bound)) xs) (map (cl bound) is).
Proof.
  revert is. induction xs as [|x xs IH]; intros is; cbn [kept_term map]; [reflexivity|]. rewrite move_cl, <- IH.
  destruct x as [i| | | |m|d|d|o|n [d|]|n|n m], is as [|i1 [|i2 [|i3 is]]]; reflexivity.
Qed.

Lemma cell_place bound to : val bound (cell_term (extents to) (layers to) []) = place bound to [].
Proof. rewrite <- value_cl, cell_cl, cell_value. reflexivity. Qed.
Lemma kept_here bound to : holds_in bound (kept_term (layers to) []) = kept bound to [].
Proof. rewrite <- holds_cl, kept_cl, kept_value. reflexivity. Qed.

Lemma flat_fine bound s is : Forall (fine bound) s -> Forall (fine bound) is -> fine bound (flat_term s is).
Proof.
  intros F. revert is. induction F as [|n s N F IH]; intros [|i is] I; cbn; try easy. inversion I; subst.
  repeat split; auto. clear - F. induction F; cbn; auto.
Qed.

Lemma move_fine bound x is : fine_layer bound x -> Forall (fine bound) is -> Forall (fine bound) (move_terms x is).
Proof.
  intros F I. destruct x as [i| | | |m|d|d|o|n [d|]|n|n m], is as [|i1 [|i2 [|i3 is]]]; cbn in *; auto;
    repeat match goal with H : Forall _ (_ :: _) |- _ => inversion H; clear H; subst | H : _ /\ _ |- _ => destruct H end;
    repeat (apply Forall_cons || apply Forall_nil); cbn; auto.
Qed.

Lemma cell_fine bound s xs is : Forall (fine bound) s -> Forall (fine_layer bound) xs -> Forall (fine bound) is -> fine bound (cell_term s xs is).
Proof.
  intros S0 X. revert is. induction X as [|x xs F X IH]; intros is I; cbn [cell_term]; [apply flat_fine; assumption|].
  apply IH, move_fine; assumption.
Qed.

Lemma kept_fine bound xs is : Forall (fine_layer bound) xs -> Forall (fine bound) is -> fine_predicate bound (kept_term xs is).
Proof.
  intros X. revert is. induction X as [|x xs F X IH]; intros is I; cbn [kept_term]; [exact Logic.I|].
  assert (R := IH _ (move_fine bound x is F I)). assert (M := move_fine bound x is F I).
  destruct x as [i| | | |m|d|d|o|n [d|]|n|n m]; cbn [keep_term]; try exact R.
  - destruct (move_terms _ is) as [|j js]; [exact Logic.I|]. inversion M; subst. destruct F. cbn. tauto.
  - destruct (move_terms _ is) as [|j js]; [exact Logic.I|]. inversion M; subst. destruct F. cbn. tauto.
  - destruct is as [|d [|q is]]; try exact Logic.I. destruct F as [F1 F2]. inversion I as [|? ? I1 I2]; subst. inversion I2; subst. cbn. tauto.
Qed.

Lemma stored_right bound ts env to v t : fine_target bound to ->
  reads ints (known_in_memory bound env ts) (value_of bound v) (tensor_of bound ts t) -> filled bound ts env to [] t (stored to v).
Proof.
  intros [E L] R. unfold filled, Lower.stored. set (cell := cell_term (extents to) (layers to) []).
  assert (G : gives ints (int_of c0 bound (index_word_of cell)) (place bound to [])).
  { unfold cell. rewrite <- cell_place. apply index_given, cell_fine; auto. }
  set (store := if is_adding (held_before to) then LUpdate (ring to) (into to) (index_word_of cell) v else LStore (into to) (index_word_of cell) v).
  assert (P : kept bound to [] = true -> fills ints (alg (ring to)) (known_in_memory bound env ts) [] (statement_of bound store) (into to) []
    (kept bound to) (place bound to) (tensor_of bound ts t) (held_before to)).
  { intros K. unfold store. destruct (held_before to) eqn:H; cbn [is_adding Words.statement_of];
      [apply fills_store; auto; discriminate|apply fills_store; auto; discriminate|apply fills_update; auto]. }
  assert (Q : fills ints (alg (ring to)) (known_in_memory bound env ts) []
    (statement_of bound (LIf (test_word_of (kept_term (layers to) [])) store LSkip)) (into to) []
    (kept bound to) (place bound to) (tensor_of bound ts t) (held_before to)).
  { cbn [Words.statement_of]. apply (fills_if (alg (ring to)) _ _ (kept bound to [])).
    - rewrite <- kept_here. apply test_decided, kept_fine; auto.
    - exact P.
    - intros K. apply fills_nothing. intros l [B C]. destruct l; [|easy]. congruence. }
  cbn [map]. destruct (kept_term (layers to) []); exact Q.
Qed.

(** * Scalars *)
Lemma load_given bound ts env k is t : List.length ts = List.length env -> read_at t [] = Some (k, is) -> fine_load bound env (Some (k, is)) ->
  reads ints (known_in_memory bound env ts) (value_of bound (load_word arr env (Some (k, is)))) (tensor_of bound ts t).
Proof.
  intros L R F. cbn in F |- *. destruct (nth_error env k) as [[b s]|] eqn:N; [|contradiction]. destruct F as (Fs & F & B).
  rewrite (nth_error_nth _ _ _ N).
  assert (N' : nth_error (closed_buffers bound env) k = Some (Some (b, map (cl bound) s, None))).
  { unfold closed_buffers. rewrite nth_error_map, N. cbn. rewrite B. reflexivity. }
  destruct (known_in (around bound) (closed_buffers bound env) ts k _ ltac:(unfold closed_buffers; rewrite map_length; exact L) N') as (x & X & I).
  intros h W. rewrite Forall_forall in W. specialize (W _ I). unfold holds in W. cbn [known_by Known name dims cell_at present held] in W.
  assert (W' := fun l B => W l B eq_refl). clear W. rewrite values_cl in W'. rename W' into W.
  assert (Fi : Forall (fine bound) (map snd is)).
  { apply Forall_map. clear - F. induction F as [|? ? ? ? H F IH]; [constructor|constructor; [apply H|exact IH]]. }
  cbn [Words.value_of eval]. rewrite (index_given bound _ (flat_fine bound s _ Fs Fi)). cbn [bind].
  rewrite <- value_cl, flat_cl, flat_term_value, !values_cl, W.
  - rewrite (read_at_value Any S c0 bound ts t [] k is [] R is) by
      first [rewrite app_nil_r; reflexivity | clear - F; induction F as [|n y ? ? H F IH];
        [constructor|constructor; [destruct H as (<- & H & _); exact H|exact IH]]].
    rewrite app_nil_r, map_map. rewrite (nth_error_nth _ _ _ X). reflexivity.
  - clear - F. induction F as [|n y ? ? H F IH]; cbn; [exact Logic.I|]. split; [apply in_range_iff, H|exact IH].
Qed.

Lemma scalar_given bound ts env t : List.length ts = List.length env -> scalar_typed bound env t ->
  reads ints (known_in_memory bound env ts) (value_of bound (value_word_of env t)) (tensor_of bound ts t).
Proof.
  intros L. induction t as [k|k|f i|t IH|f t IH|f t IHt u IHu|f t IHt u IHu x IHx|a t _ u _|n t _|a n t _|a p t IH|p t IHt u IHu|a n t _ i|t _ u _|a o e t _|a e n m t _ u _|];
    intros T; try (cbn in T; contradiction).
  - exact (load_given bound ts env k [] (ETensor k) L eq_refl T).
  - apply reads_scalar.
  - cbn [Lower.value_word_of Words.value_of Words.tensor_of]. apply reads_index, index_given, T.
  - apply reads_view. exact (IH T).
  - apply reads_prim1. exact (IH T).
  - destruct T. apply reads_prim2; auto.
  - destruct T as (? & ? & ?). apply reads_prim3; auto.
  - destruct T as [P T]. cbn [Lower.value_word_of Words.value_of Words.tensor_of constant_of]. apply reads_guard; [apply test_decided, P|auto].
  - destruct T as (P & T & U). cbn [Lower.value_word_of Words.value_of Words.tensor_of]. apply reads_select; [apply test_decided, P|auto|auto].
  - cbn [scalar_typed Lower.value_word_of] in T |- *. destruct (read_at (EGet a n t i) []) as [[k is]|] eqn:R; [|contradiction].
    exact (load_given bound ts env k is _ L R T).
Qed.

(** * Temporaries *)
Lemma long_length n : String.length (long n) = Datatypes.S n.
Proof. induction n as [|n IH]; [reflexivity|]. cbn. rewrite IH. reflexivity. Qed.

Lemma new_name_new to env y : In y (into to :: map fst env) -> new_name to env <> y.
Proof.
  intros I E. assert (L : (String.length y <= longest (into to :: map fst env))%nat).
  { unfold longest. assert (Q := proj1 (list_max_le (map String.length (into to :: map fst env)) _) (le_n _)).
    rewrite Forall_forall in Q. apply Q, in_map, I. }
  rewrite <- E in L. unfold new_name in L. rewrite long_length in L. lia.
Qed.

Lemma long_named n : String.eqb (long n) "" = false.
Proof. destruct n; reflexivity. Qed.

Lemma known_names bound env ts x : In x (known_in_memory bound env ts) -> In (name x) (map fst env).
Proof.
  unfold known_in_memory, closed_buffers. revert ts. induction env as [|[b s] env IH]; intros ts; [destruct ts; easy|].
  destruct ts as [|t ts]; cbn; destruct (String.eqb b ""); cbn; try easy; [intros I; right; eauto|].
  intros [<-|I]; [left; reflexivity|right; eauto].
Qed.

Lemma apart_fresh bound ts env to : apart (known_in_memory bound env ts) [] (new_name to env) = true.
Proof.
  unfold apart. cbn [forallb]. rewrite andb_true_r. apply forallb_forall. intros x I. apply negb_true_iff, String.eqb_neq.
  intros E. apply (new_name_new to env (name x)); [right; exact (known_names _ _ _ _ I)|symmetry; exact E].
Qed.

Lemma whole_place bound b r s k : place bound (Target b r s [] k) = flat (map (val bound) s).
Proof. unfold place. cbn. rewrite values_cl. reflexivity. Qed.

(** A whole buffer, fresh from its beginning. *)
Lemma made bound ts env t b s : apart (known_in_memory bound env ts) [] b = true ->
  let to := output_target b t s in
  filled bound ts env to s t (lower t env to s) ->
  makes ints (known_in_memory bound env ts) [] (statement_of bound (lower t env to s)) b (map (val bound) s) (tensor_of bound ts t)
    (Some (option_map (constant_of Any S) (begins to))).
Proof.
  intros D to F. unfold filled in F. unfold to, output_target in F. rewrite whole_place in F. cbn [ring into held_before] in F.
  unfold to, output_target, begins. cbn [held_before ring]. destruct (zeros t).
  - apply (makes_zeroed (alg (ring_of t))); [exact D|exact F].
  - apply (makes_unset (alg (ring_of t))); [exact D|exact F].
Qed.

(** * Operators *)
Lemma reshaping_cl bound k o s asked r ls b : reshaping k o s = Some (asked, r, ls, b) ->
  reshaping k (close_operator (cl bound) o) (map (cl bound) s) = Some (clp bound asked, map (cl bound) r, map (map_layer (cl bound)) ls, b).
Proof.
  intros R. destruct o, s as [|n1 [|n2 [|n3 s]]]; try discriminate R; cbn in R |- *; try (injection R as <- <- <- <-; reflexivity);
    destruct (is_unset k); injection R as <- <- <- <-; reflexivity.
Qed.

Definition closed_target bound to : target :=
  Target (into to) (ring to) (map (cl bound) (extents to)) (map (map_layer (cl bound)) (layers to)) (held_before to).
Lemma closed_fold bound to ls :
  closed_target bound (fold_right under_layer to ls) = fold_right under_layer (closed_target bound to) (map (map_layer (cl bound)) ls).
Proof. induction ls as [|x ls IH]; [reflexivity|]. cbn [fold_right map]. rewrite <- IH. reflexivity. Qed.
Lemma fold_same to ls : into (fold_right under_layer to ls) = into to /\ ring (fold_right under_layer to ls) = ring to /\ held_before (fold_right under_layer to ls) = held_before to /\ extents (fold_right under_layer to ls) = extents to /\ layers (fold_right under_layer to ls) = ls ++ layers to.
Proof. induction ls as [|x ls (I & R & H & E & L)]; [auto|]. cbn [fold_right]. cbn. rewrite L. auto. Qed.

(** A goal without facts, of which only the tensors and the laws matter. *)
Definition plain_goal bound env (a : nat) : goal := Goal (List.length bound) [] [] (closed_buffers bound env) [] [] [(a, Add_0_r)].
Lemma plain_models bound ts env a : List.length ts = List.length env -> models Any S ints c0 (plain_goal bound env a) (around bound) ts.
Proof.
  intros L. split; cbn; auto.
  - exists (map Number bound). rewrite map_length. auto.
  - unfold closed_buffers. rewrite map_length. exact L.
  - constructor; [|constructor]. cbn. apply lawful.
Qed.

(** * All of it *)
Theorem lowered t : forall bound ts env to s, List.length ts = List.length env -> fine_target bound to ->
  (zeros t = true -> held_before to <> Unset) -> well_typed t bound ts env to s -> filled bound ts env to s t (lower t env to s).
Proof.
  induction t as [k|k|f i|t IH|f t IH|f t IHt u IHu|f t IHt u IHu x IHx|a t IHt u IHu|n t IH|a n t IH|a p t IH|p t IHt u IHu|a n t IH i|t IHt u IHu|a o e t IH|a e n m t IHt u IHu|];
    intros bound ts env to s L Ft Z T; cbn [well_typed Lower.lower Lower.zeros] in T, Z |- *;
    match type of T with context [if stores ?to ?t then _ else _] => destruct (stores to t) eqn:St; [destruct T as [-> T]; apply stored_right; [exact Ft|exact (scalar_given _ _ _ _ L T)]|] | _ => idtac end;
    try contradiction; cbn [scalar_form] in T, Z |- *; try contradiction; try discriminate St.
  - (* a sum of two tensors *)
    destruct T as (-> & T & U). unfold filled. cbn [Words.statement_of Words.tensor_of].
    assert (F := IHt bound ts env (adding to) s L Ft ltac:(discriminate) T). assert (K := IHu bound ts env (adding to) s L Ft ltac:(discriminate) U).
    destruct (lawful (ring to)) as (L1 & L2 & L3). specialize (Z eq_refl). destruct (held_before to); [contradiction| |].
    + apply fills_plus_zeroed; [exact L1|exact F|exact K].
    + apply fills_plus_adding; [exact L3|exact F|exact K].
  - (* a loop over an index of the result *)
    destruct s as [|m s]; [contradiction|]. destruct T as (N & E & T). unfold filled. cbn [Words.statement_of Words.tensor_of map tl]. rewrite E.
    apply fills_gen; [reflexivity|exact (index_given _ _ N)|]. intros i I J. apply Z.leb_le in I. apply Z.ltb_lt in J.
    assert (F := IH (i :: bound) ts (up_buffers env) (under_layer (Row (Bound 0)) (up_target to)) (map up s)). unfold filled in F.
    rewrite known_up, values_up in F. cbn [under_layer ring into held_before up_target] in F.
    change (kept (i :: bound) (under_layer ?x (up_target to))) with (fun l => kept (i :: bound) (up_target to) (i :: l)) in F.
    change (place (i :: bound) (under_layer ?x (up_target to))) with (fun l => place (i :: bound) (up_target to) (i :: l)) in F.
    rewrite kept_up, place_up in F. apply F.
    + unfold up_buffers. rewrite map_length. exact L.
    + destruct (fine_target_up bound i to Ft) as [F1 F2]. split; [exact F1|constructor; [exact Logic.I|exact F2]].
    + exact Z.
    + apply T. lia.
  - (* a sum *)
    destruct T as (-> & N & T). unfold filled. cbn [Words.statement_of Words.tensor_of]. destruct (lawful (ring to)) as (L1 & L2 & L3).
    apply fills_sum; [reflexivity|exact (index_given _ _ N)|exact (Z eq_refl)|auto|]. intros i I J. apply Z.leb_le in I. apply Z.ltb_lt in J.
    assert (F := IH (i :: bound) ts (up_buffers env) (adding (up_target to)) (map up s)). unfold filled in F.
    rewrite known_up, values_up in F. cbn [adding ring into held_before up_target] in F.
    change (kept (i :: bound) (adding (up_target to))) with (kept (i :: bound) (up_target to)) in F.
    change (place (i :: bound) (adding (up_target to))) with (place (i :: bound) (up_target to)) in F.
    rewrite kept_up, place_up in F. apply F.
    + unfold up_buffers. rewrite map_length. exact L.
    + exact (fine_target_up bound i to Ft).
    + discriminate.
    + apply T. lia.
  - (* a condition *)
    assert (H0 : held_before to <> Unset).
    { unfold stores in St. cbn [scalar_form] in St. destruct (scalar_form t); [|apply Z; reflexivity]. destruct (held_before to); discriminate. }
    clear Z. destruct T as (-> & P & T). unfold filled. cbn [Words.statement_of Words.tensor_of].
    assert (F : holds_in bound p = true -> filled bound ts env to s t (lower t env to s)) by (intros H; apply IH; auto).
    unfold filled in F. destruct (held_before to); [contradiction| |].
    + apply fills_guard; [exact (test_decided _ _ P)|exact F].
    + apply fills_guard_adding; [apply lawful|exact (test_decided _ _ P)|exact F].
  - (* a choice *)
    unfold stores in St. cbn [scalar_form] in St. rewrite andb_true_r in St. rewrite St in Z.
    destruct T as (P & T & U). unfold filled. cbn [Words.statement_of Words.tensor_of].
    apply fills_select with (1 := test_decided _ _ P); intros H; [apply IHt|apply IHu]; auto; intros E; apply Z; rewrite E; [reflexivity|apply orb_true_r].
  - (* a temporary *)
    destruct (mentions 0 u); cycle 1.
    { unfold filled. cbn [Words.statement_of Words.tensor_of]. apply fills_let_unread. intros z.
      assert (F := IHu bound (z :: ts) (nowhere :: env) to s). unfold filled in F. cbn in F.
      apply F; [cbn; congruence|exact Ft|exact Z|apply T]. }
    destruct T as (Fx & T & U). set (x := temporary env to t) in *. unfold filled. cbn [Words.statement_of Words.tensor_of].
    assert (D := apart_fresh bound ts env to). cbn [into x temporary] in *.
    apply fills_let.
    + apply String.eqb_neq. apply new_name_new. left. reflexivity.
    + exact D.
    + apply (made bound ts env t (new_name to env) (extents x) D). apply IHt; [exact L|split; [exact Fx|constructor]| |exact T].
      intros E. cbn. rewrite E. discriminate.
    + intros z. assert (F := IHu bound (z :: ts) ((into x, extents x) :: env) to s). unfold filled in F. cbn in F.
      rewrite long_named in F. cbn [known_of known_by] in F. rewrite values_cl in F.
      apply F; [cbn; congruence|exact Ft|exact Z|apply U].
  - (* an operator *)
    destruct T as (-> & T). destruct (reshaping (held_before to) o s) as [[[[asked r] ls] pd]|] eqn:R; [|contradiction].
    destruct T as (K & A & Fl & T). unfold filled. cbn [Words.tensor_of].
    assert (M := plain_models bound ts env (ring to) L).
    destruct (fold_same to ls) as (F1 & F2 & F3 & F4 & F5).
    assert (F := IH bound ts env (fold_right under_layer to ls) r L). unfold filled in F. rewrite F1, F2, F3 in F.
    assert (C := operator_closed Any S ints c0 (plain_goal bound env (ring to)) (around bound) ts (map Free (seq 0 (List.length bound)))
      (alg (ring to)) o e (tensor_of bound ts t) M). unfold worth in C. rewrite bound_values in C. rewrite C.
    rewrite <- (values_cl bound s).
    apply (reshaping_right Any S ints c0 (plain_goal bound env (ring to)) (around bound) ts (closed_target bound to) _ _ _ _ _ pd
      _ _ _ _ M (reshaping_cl bound _ _ _ _ _ _ _ R)).
    + assert (Sy : staying (close_operator (cl bound) o) = map (cl bound) (staying o)) by (destruct o; reflexivity).
      rewrite Sy, map_length, firstn_map, !values_cl. exact K.
    + rewrite holds_cl. exact A.
    + destruct pd; [|reflexivity].
      assert (H : held_before to <> Unset).
      { destruct o, s as [|n1 [|n2 [|n3 s]]]; try discriminate R; cbn in R; try (injection R; discriminate); apply Z; reflexivity. }
      unfold padding. cbn. destruct (held_before to); [contradiction|reflexivity|]. cbn. rewrite Nat.eqb_refl. reflexivity.
    + cbn zeta. rewrite <- closed_fold, values_cl. apply F; [| |exact T].
      * destruct Ft as [G1 G2]. split; [rewrite F4; exact G1|rewrite F5; apply Forall_app; auto].
      * intros E. destruct o; apply Z; solve [exact E | reflexivity].
  - (* one operand after the other *)
    destruct T as (-> & T). destruct s as [|r s]; [contradiction|]. destruct T as (E & N & M & Fn & T & U). unfold filled.
    cbn [Words.statement_of Words.tensor_of map tl].
    apply fills_concat.
    + rewrite E, Z.eqb_refl. apply andb_true_iff. split; [reflexivity|]. apply andb_true_iff. rewrite !Z.leb_le. auto.
    + apply (IHt bound ts env to (n :: s) L Ft); [|exact T]. intros Q. apply Z. rewrite Q. reflexivity.
    + assert (F := IHu bound ts env (under_layer (Raised n) to) (m :: s) L). unfold filled in F. cbn [under_layer ring into held_before] in F.
      assert (Kp : kept bound (under_layer (Raised n) to) = fun w => kept bound to (Reshape.moved (fun i => i + val bound n) w)).
      { unfold kept. cbn [under_layer layers map map_layer kept_of keep move]. rewrite value_cl. reflexivity. }
      assert (Pl : place bound (under_layer (Raised n) to) = fun w => place bound to (Reshape.moved (fun i => i + val bound n) w)).
      { unfold place. cbn [under_layer layers extents map map_layer place_of move]. rewrite value_cl. reflexivity. }
      rewrite Kp, Pl in F. apply F; [| |exact U].
      * destruct Ft as [F1 F2]. split; [exact F1|constructor; [exact Fn|exact F2]].
      * intros Q. apply Z. rewrite Q. apply orb_true_r.
Qed.

(** The program: in a memory that has the tensors, and an output whose cells hold nothing, it ends, and the output holds the term. *)
Theorem program_right b env ts t s h : List.length ts = List.length env -> apart (known_in_memory [] env ts) [] b = true ->
  Forall (fine []) s -> well_typed t [] ts env (output_target b t s) s ->
  world h (known_in_memory [] env ts) [] -> h b = Some (fresh (room (map (val []) s)) None) ->
  exists h', run ints (statement_of [] (lower_program arr b env t s)) h = Some h' /\ (forall y, y <> b -> h' y = h y) /\
    holds h' (Known b (map (val []) s) (tensor_of [] ts t)).
Proof.
  intros L D Fs T W E. set (to := output_target b t s) in *.
  assert (F : filled [] ts env to s t (lower t env to s)).
  { apply lowered; [exact L|split; [exact Fs|constructor]| |exact T]. intros Q. cbn. rewrite Q. discriminate. }
  assert (M := made [] ts env t b s D F). fold to in M. unfold lower_program. fold to.
  assert (K : exists h', run ints (statement_of [] (if zeros t then LSeq (LReset b (begins to)) (lower t env to s) else lower t env to s)) h = Some h' /\
    (forall y, y <> b -> ~ In y [] -> h' y = h y) /\ holds h' (Known b (map (val []) s) (tensor_of [] ts t))).
  { destruct (zeros t) eqn:Q.
    - cbn [Words.statement_of]. destruct (makes_reset _ _ _ _ _ _ _ D M h W) as (h' & R & O & _ & _ & H); [rewrite E; reflexivity|].
      exists h'. auto.
    - destruct (M h W) as (h' & R & O & _ & _ & H); [|exists h'; auto].
      unfold to, output_target, begins. cbn. rewrite Q. exact E. }
  destruct K as (h' & R & O & H). exists h'. split; [exact R|]. split; [|exact H]. intros y N. apply O; [exact N|easy].
Qed.
End Right.
