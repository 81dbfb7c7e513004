namespace Jackdaw.Etl.Sinks;

/// <summary>Where messages go. Used by one task, one call at a time. See docs/etl.md, "What a sink must do".</summary>
internal interface ISink : IAsyncDisposable
{
    /// <summary>Do its targets have routing keys? Then messages of one target and routing key keep their order; elsewhere those
    /// of one partition key.</summary>
    bool AllowsRoutingKeys { get; }

    /// <summary>
    /// May it begin a delivery before the one in front of it is settled? Then it finds that in <see cref="Delivery.Next"/> while
    /// it delivers, and is called for it next; what
    /// it has begun of it is on its way in between, and nothing more of it is begun. A sink that does not look ahead has no use for it.
    /// </summary>
    bool ReachesAhead => false;

    /// <summary>Does its open connection cost something while there is nothing to send? Then it is told to <see cref="Rest"/>.</summary>
    bool CanRest => false;

    /// <summary>Closes what <see cref="OpenAsync"/> opened, until there is something to send again. Blocks.</summary>
    void Rest() { }

    /// <summary>
    /// Connects and declares. Called before the first delivery and again after each fault. Leaves nothing behind when it throws:
    /// <see cref="SinkException"/>, or
    /// <see cref="OperationCanceledException"/> when cancelled.
    /// </summary>
    Task OpenAsync(CancellationToken cancellation);

    /// <summary>
    /// Settles every message that is not settled yet. Errors as <see cref="OpenAsync"/>; what was settled before them stays so. A
    /// sink that delivers all or nothing
    /// may return after it rejected a message without delivering any: it is called again. Does not block: the next batch is made
    /// while it goes on. Ends early when <see cref="Delivery.IsStopping"/>.
    /// </summary>
    Task DeliverAsync(Delivery delivery, CancellationToken cancellation);
}
