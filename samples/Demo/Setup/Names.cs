namespace Jackdaw.Demo.Setup;

/// <summary>How databases and queues are called.</summary>
internal static class Names
{
    /// <summary>The database that is written to.</summary>
    public const string Source = "shop";

    /// <summary>The database that the functions write to.</summary>
    public const string ReadModel = "views";

    /// <summary>The queue of orders.</summary>
    public const string Orders = "orders";

    /// <summary>The queue of the events of accounts.</summary>
    public const string Accounts = "accounts";

    /// <summary>The queue of messages that no function can handle.</summary>
    public const string DeadLetters = "dead-letters";

    /// <summary>The function of <see cref="Orders"/>.</summary>
    public const string OrdersFunction = "OrdersFromQueue";

    /// <summary>The function of <see cref="Accounts"/>.</summary>
    public const string AccountsFunction = "AccountsFromQueue";
}
