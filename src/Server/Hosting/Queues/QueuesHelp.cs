namespace Jackdaw.Server.Hosting.Queues;

/// <summary>What <c>run queues --help</c> prints.</summary>
internal static class QueuesHelp
{
    private const string Text = """
        Operates the Azure queues that ETL tasks send to and functions receive from. No server is asked.

        usage: run queues list [--json]              all queues of the account: messages, age of the first one, and what they are
               run queues show QUEUE [MESSAGE-ID] [--raw]
                                                     a message, which stays where it is: the first one, or the one with that id among the
                                                     first 32; --raw prints the message itself, byte by byte, and nothing else
               run queues redrive QUEUE [--to QUEUE] [--max N] [--dry-run] [--json]
                                                     send messages again, once what was wrong is mended:
                                                     of a poison queue (NAME-poison) to NAME; of the functions' dead letters, each to the
                                                     queue of its consumer. --to names another queue

        The account:
               --queue-service-uri URI               such as https://ACCOUNT.queue.core.windows.net, entered as whoever is
                                                     logged in to the Azure CLI. The role 'Storage Queue Data Contributor'
                                                     is needed, and for dead letters that are too large for a queue
                                                     'Storage Blob Data Contributor'
               --connection-string TEXT              by default the environment variable AZURE_STORAGE_CONNECTION_STRING

        redrive takes the messages that are in the queue when it begins. It sends each one and then deletes it: when it is interrupted, a
        message may have been sent that is still there, and no message is lost. Functions ignore a message that they have applied. What is
        no dead letter stays where it is, and the exit code is 1.
        """;

    /// <summary>Prints it; returns the exit code.</summary>
    public static int Print(TextWriter output)
    {
        output.WriteLine(Text);
        return CommandLine.Success;
    }
}
